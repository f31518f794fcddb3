import type { Command } from 'commander';
import type { AuthenticationChoice, AuthorizerSettings } from '@binnacle/apiserver';
import type { AuditChoice } from '@binnacle/cluster/node/control-plane';
import type { PolicyFiles } from '@binnacle/cluster/node/policy-files';
import { UsageError } from '../errors.ts';
import { auditChoice, auditOptions } from './audit-choice.ts';
import type { AuditFlags } from './audit-choice.ts';
import { authenticationChoice, authenticationOptions } from './authentication-choice.ts';
import type { AuthenticationFlags } from './authentication-choice.ts';
import { authorizationChoice, authorizationOptions } from './authorization-choice.ts';
import type { AuthorizationFlags } from './authorization-choice.ts';
import { requestHeaderChoice, requestHeaderOptions } from './request-headers-choice.ts';
import type { RequestHeaderFlags } from './request-headers-choice.ts';
import { countOption, switchOption } from './flag-options.ts';
import { shownFlags } from './shown-flags.ts';

/** Upstream's defaults. */
const READING_MAX = 400;
const MUTATING_MAX = 200;

/** The flags about how requests are taken in, by upstream's names. */
export interface RequestFlags extends AuditFlags, AuthenticationFlags, AuthorizationFlags, RequestHeaderFlags {
  readonly maxRequestsInflight?: number;
  readonly maxMutatingRequestsInflight?: number;
  readonly profiling?: boolean;
}

/** Adds them to a command. */
export function requestOptions(command: Command): Command {
  command
    .addOption(
      countOption('max-requests-inflight <n>', 'with the next one: seats that priority levels share (default: 400)'),
    )
    .addOption(countOption('max-mutating-requests-inflight <n>', 'see above (default: 200)'))
    .addOption(switchOption('profiling', 'who may, changes the log level by PUT /debug/flags/v (default: true)'));
  return authorizationOptions(requestHeaderOptions(authenticationOptions(auditOptions(command))));
}

/** What they come to. */
export interface RequestChoice {
  readonly seats: number;
  readonly profiling: boolean;
  readonly flags: ReadonlyMap<string, string>;
  readonly audit?: AuditChoice;
  readonly authentication: AuthenticationChoice;
  readonly authorization?: readonly AuthorizerSettings[];
  /** Where these came from. */
  readonly files: PolicyFiles;
}

/** What the flags ask for; `warn` hears of what is taken and will not do. Throws UsageError with the flag. */
export async function requestChoice(flags: RequestFlags, warn: (text: string) => void): Promise<RequestChoice> {
  const { maxRequestsInflight: reading, maxMutatingRequestsInflight: mutating } = flags;
  const seats = (reading ?? READING_MAX) + (mutating ?? MUTATING_MAX);
  if (seats === 0) {
    throw new UsageError('--max-requests-inflight and --max-mutating-requests-inflight: must not both be 0');
  }
  const { authentication, file: believedBy } = await authenticationChoice(flags);
  const { authorization, file: decidedBy } = await authorizationChoice(flags);
  const requestHeaders = requestHeaderChoice(flags, warn);
  return {
    seats,
    profiling: flags.profiling ?? true,
    flags: shownFlags(flags),
    ...(await auditChoice(flags)),
    authentication: { ...authentication, ...(requestHeaders === undefined ? {} : { requestHeaders }) },
    ...(authorization === undefined ? {} : { authorization }),
    files: {
      ...(believedBy === undefined ? {} : { authentication: believedBy }),
      ...(decidedBy === undefined ? {} : { authorization: decidedBy }),
    },
  };
}
