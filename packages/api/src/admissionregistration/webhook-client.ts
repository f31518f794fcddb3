import { names } from '@binnacle/machinery';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';

/** Where a webhook is called, as admission and conversion have it. */
export interface WebhookClient {
  readonly url?: string;
  readonly service?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly path?: string;
    readonly port?: number;
  };
}

const FORM = '; desired format: https://host[/path]';

/** Either an URL or a service, and a right one. */
export function validateWebhookClient(client: WebhookClient | undefined, path: FieldPath, report: Report): void {
  const { url, service } = client ?? {};
  if ((url === undefined) === (service === undefined)) {
    return report.required(path, 'exactly one of url or service is required');
  }
  if (url !== undefined) validateUrl(url, path.child('url'), report);
  if (service !== undefined) validateService(service, path.child('service'), report);
  return undefined;
}

function validateUrl(text: string, path: FieldPath, report: Report): void {
  const parts = /^(?:([a-zA-Z][-+.a-zA-Z0-9]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(text);
  if (parts === null || /%(?![0-9a-fA-F]{2})/.test(text)) {
    return report.required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URL escape${FORM}`);
  }
  const [, scheme = '', authority = '', query = '', fragment = ''] = parts;
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (scheme.toLowerCase() !== 'https') {
    report.invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`);
  }
  if (host === '') report.invalid(path, host, `host must be specified${FORM}`);
  if (at !== -1) report.invalid(path, authority.slice(0, at), 'user information is not permitted in the URL');
  if (fragment !== '') report.invalid(path, fragment, 'fragments are not permitted in the URL');
  if (query !== '') report.invalid(path, query, 'query parameters are not permitted in the URL');
  return undefined;
}

function validateService(service: NonNullable<WebhookClient['service']>, path: FieldPath, report: Report): void {
  if (!service.name) report.required(path.child('name'));
  if (!service.namespace) report.required(path.child('namespace'));
  const errors = names.portNumberErrors(service.port ?? 0);
  if (errors.length > 0) {
    report.invalid(path.child('port'), service.port ?? 0, `port is not valid: ${errors.join(',')}`);
  }
  if (service.path !== undefined) validatePath(service.path, path.child('path'), report);
}

function validatePath(text: string, path: FieldPath, report: Report): void {
  if (text === '' || text === '/') return;
  if (!text.startsWith('/')) report.invalid(path, text, "must start with a '/'");
  // Whatever comes first is taken for the slash.
  const own = text.endsWith('/') ? text.slice(1, -1) : text.slice(1);
  for (const [at, step] of own.split('/').entries()) {
    if (step === '') {
      report.invalid(path, text, `segment[${at}] may not be empty`);
      continue;
    }
    for (const error of names.subdomainErrors(step)) report.invalid(path, text, `segment[${at}]: ${error}`);
  }
}
