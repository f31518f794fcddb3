import type { AuditEvent } from '../ports/audit.ts';

/** One line of text for an event: upstream's `--audit-log-format=legacy`. */
export function legacyLine(event: AuditEvent): string {
  const { user, impersonatedUser, objectRef, responseStatus, sourceIPs, userAgent = '' } = event;
  const fields: readonly (readonly [name: string, value: string])[] = [
    ['id', quoted(event.auditID)],
    ['stage', quoted(event.stage)],
    ['ip', quoted(sourceIPs?.[0] ?? '<unknown>')],
    ['method', quoted(event.verb)],
    ['user', quoted(user.username ?? '<none>')],
    ['groups', quoted(user.username === undefined || user.groups === undefined ? '<none>' : list(user.groups))],
    ['as', quoted(impersonatedUser === undefined ? '<self>' : (impersonatedUser.username ?? ''))],
    ['asgroups', quoted(impersonatedUser?.groups === undefined ? '<lookup>' : list(impersonatedUser.groups))],
    ['user-agent', quoted(userAgent)],
    ['namespace', quoted(objectRef?.namespace ?? '<none>')],
    ['uri', quoted(event.requestURI)],
    ['response', `"${responseStatus === undefined ? '<deferred>' : String(responseStatus.code ?? 0)}"`],
  ];
  return `${event.requestReceivedTimestamp} AUDIT: ${fields.map(([name, value]) => `${name}=${value}`).join(' ')}`;
}

function list(values: readonly string[]): string {
  return values.map(quoted).join(',');
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
