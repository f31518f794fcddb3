import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { Store } from '@binnacle/store';
import type { Reply } from '../catalogue/definition.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { Exchange } from '../request/exchange.ts';

const PING: HealthCheck = { name: 'ping', check: () => undefined };
const LOG: HealthCheck = { name: 'log', check: () => undefined };
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
export function healthHandler(name: string, known: () => readonly HealthCheck[], log: Logger): HealthHandler {
  return async ({ request }, rest) => {
    const checks = known();
    const asked = rest === '' ? checks : checks.filter((check) => check.name === rest);
    if (asked.length === 0) return text(404, '404 page not found\n');
    const excluded = new Set(request.query.get('exclude').split(','));
    const results = await Promise.all(asked.map((check) => run(log, check, excluded.has(check.name))));
    const failed = results.some((result) => result.failed);
    const verbose = request.query.has('verbose') || failed;
    if (!verbose || rest !== '') return text(failed ? 500 : 200, failed ? lines(results) : 'ok');
    return text(failed ? 500 : 200, `${lines(results)}${name} check ${failed ? 'failed' : 'passed'}\n`);
  };
}

interface Result {
  readonly failed: boolean;
  readonly line: string;
}

async function run(log: Logger, health: HealthCheck, excluded: boolean): Promise<Result> {
  const { name } = health;
  if (excluded) return { failed: false, line: `[+]${name} excluded: ok` };
  try {
    await health.check();
    return { failed: false, line: `[+]${name} ok` };
  } catch (error) {
    log.warn('a health check failed', { check: name, reason: messageOf(error) });
    return { failed: true, line: `[-]${name} failed: reason withheld` };
  }
}

function lines(results: readonly Result[]): string {
  return results.map(({ line }) => `${line}\n`).join('');
}

function text(code: number, body: string): Reply {
  return { kind: 'text', code, contentType: 'text/plain; charset=utf-8', body };
}
