import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Store } from '@binnacle/store';
import type { Reply } from '../catalogue/definition.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { HealthFigures, HealthPath } from './health-figures.ts';
import type { Exchange } from '../request/exchange.ts';

const PING: HealthCheck = { name: 'ping', check: () => undefined };
const LOG: HealthCheck = { name: 'log', check: () => undefined };
interface HealthWorld {
  readonly log: Logger;
  readonly figures: HealthFigures;
}

/** Answers one of the three paths and what is below it. */
export type HealthHandler = (exchange: Exchange, rest: string) => Promise<Reply>;

/** Whether the server lives: it answers, and its store can be read. */
export function livenessChecks(store: Pick<Store, 'health'>): readonly HealthCheck[] {
  return [PING, LOG, { name: 'etcd', check: () => store.health('reading') }];
}

/** Whether the store takes writes; a full disk makes the server unready, and no restart would help it. */
export function storeReadiness(store: Pick<Store, 'health'>): HealthCheck {
  return { name: 'etcd-readiness', check: () => store.health('writing') };
}

/** `/livez`, `/readyz` or `/healthz`, with `?verbose`, `?exclude=` and one path per check. */
export function healthHandler(
  name: HealthPath,
  known: () => readonly HealthCheck[],
  world: HealthWorld,
): HealthHandler {
  const run = (check: HealthCheck, isExcluded: boolean): Promise<Result> =>
    runOne({ ...world, name }, check, isExcluded);
  return async ({ request }, rest) => {
    const checks = known();
    const asked = rest === '' ? checks : checks.filter((check) => check.name === rest);
    if (asked.length === 0) return text(404, '404 page not found\n');
    if (rest !== '') return answerOne(await Promise.all(asked.map((check) => run(check, false))));
    const excluded = new Set(request.query.all('exclude').flatMap((names) => names.split(',')));
    const results = await Promise.all(asked.map((check) => run(check, excluded.has(check.name))));
    const failed = results.some(({ reason }) => reason !== undefined);
    if (!failed && !request.query.has('verbose')) return text(200, 'ok');
    const shown = `${lines(results)}${unknownExcluded(excluded, asked)}`;
    return text(failed ? 500 : 200, `${shown}${name} check ${failed ? 'failed' : 'passed'}\n`);
  };
}

/** Below one of the paths: one check, and why it is not well. */
function answerOne([result]: readonly Result[]): Reply {
  const reason = result?.reason;
  return reason === undefined ? text(200, 'ok') : text(500, `internal server error: ${reason}\n`);
}

/** Who leaves out what does not exist is told so, in upstream's words. */
function unknownExcluded(excluded: ReadonlySet<string>, checks: readonly HealthCheck[]): string {
  const known = new Set(['', ...checks.map(({ name }) => name)]);
  const unknown = [...excluded].filter((name) => !known.has(name)).sort();
  if (unknown.length === 0) return '';
  const names = unknown.map((name) => JSON.stringify(name)).join(',');
  return `warn: some health checks cannot be excluded: no matches for ${names}\n`;
}

interface Result {
  /** Why it is not well; undefined: it is. */
  readonly reason: string | undefined;
  readonly line: string;
}

async function runOne(
  { log, figures, name: path }: HealthWorld & { readonly name: HealthPath },
  health: HealthCheck,
  excluded: boolean,
): Promise<Result> {
  const { name } = health;
  if (excluded) return { reason: undefined, line: `[+]${name} excluded: ok` };
  try {
    await health.check();
    figures.ended(path, health, true);
    return { reason: undefined, line: `[+]${name} ok` };
  } catch (error) {
    const reason = messageOf(error);
    figures.ended(path, health, false);
    log.warn('a health check failed', { check: name, reason });
    return { reason, line: `[-]${name} failed: reason withheld` };
  }
}

function lines(results: readonly Result[]): string {
  return results.map(({ line }) => `${line}\n`).join('');
}

function text(code: number, body: string): Reply {
  return { kind: 'text', code, contentType: 'text/plain; charset=utf-8', body };
}
