import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Store } from '@binnacle/store';
import type { Reply } from '../catalogue/definition.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { HealthFigures, HealthPath } from './health-figures.ts';
import type { Exchange } from '../request/exchange.ts';

/** Whoever answers this lives. */
export const PING: HealthCheck = { name: 'ping', check: () => undefined };
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

/** What is asked of one of the paths. */
export interface HealthQuestion {
  readonly path: HealthPath;
  /** Below the path: one check; empty: all. */
  readonly rest: string;
  /** Of `?exclude=`, each a name or several with commas. */
  readonly excluded: readonly string[];
  readonly isVerbose: boolean;
}

/** `/livez`, `/readyz` or `/healthz`, with `?verbose`, `?exclude=` and one path per check; text for whoever asks. */
export async function answerHealth(
  { path, rest, excluded: lists, isVerbose }: HealthQuestion,
  checks: readonly HealthCheck[],
  world: HealthWorld,
): Promise<{ readonly code: number; readonly text: string }> {
  const run = (check: HealthCheck, isExcluded: boolean): Promise<Result> =>
    runOne({ ...world, name: path }, check, isExcluded);
  const asked = rest === '' ? checks : checks.filter((check) => check.name === rest);
  if (asked.length === 0) return { code: 404, text: '404 page not found\n' };
  if (rest !== '') return answerOne(await Promise.all(asked.map((check) => run(check, false))));
  const excluded = new Set(lists.flatMap((names) => names.split(',')));
  const results = await Promise.all(asked.map((check) => run(check, excluded.has(check.name))));
  const failed = results.some(({ reason }) => reason !== undefined);
  if (!failed && !isVerbose) return { code: 200, text: 'ok' };
  const shown = `${lines(results)}${unknownExcluded(excluded, asked)}`;
  return { code: failed ? 500 : 200, text: `${shown}${path} check ${failed ? 'failed' : 'passed'}\n` };
}

/** Answers one of the three paths of the API server. */
export function healthHandler(
  path: HealthPath,
  known: () => readonly HealthCheck[],
  world: HealthWorld,
): HealthHandler {
  return async ({ request: { query } }, rest) => {
    const question = { path, rest, excluded: query.all('exclude'), isVerbose: query.has('verbose') };
    const { code, text } = await answerHealth(question, known(), world);
    return { kind: 'text', code, contentType: 'text/plain; charset=utf-8', body: text };
  };
}

/** Below one of the paths: one check, and why it is not well. */
function answerOne([result]: readonly Result[]): { readonly code: number; readonly text: string } {
  const reason = result?.reason;
  return reason === undefined ? { code: 200, text: 'ok' } : { code: 500, text: `internal server error: ${reason}\n` };
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
