import { messageOf } from '@binnacle/base';
import type { Core } from '../core.ts';
import type { Reply } from '../catalogue/reply.ts';

/** One thing that can be well or not. Throws to say what is wrong. */
export interface HealthCheck {
  readonly name: string;
  readonly check: (core: Core) => void | Promise<void>;
}

const PING: HealthCheck = { name: 'ping', check: () => undefined };
const LOG: HealthCheck = { name: 'log', check: () => undefined };
const STORE: HealthCheck = {
  name: 'etcd',
  async check(core) {
    await core.store.status();
  },
};

/** `/livez`, `/readyz` and `/healthz`, with `?verbose`, `?exclude=` and one path per check. */
export function mountHealth(core: Core, readiness: readonly HealthCheck[]): void {
  const alive = [PING, LOG, STORE];
  const ready = [...alive, ...readiness];
  mount(core, 'livez', alive);
  mount(core, 'readyz', ready);
  mount(core, 'healthz', ready);
}

function mount(core: Core, name: string, checks: readonly HealthCheck[]): void {
  core.routes.tree(`/${name}`, async ({ request }, rest) => {
    const asked = rest === '' ? checks : checks.filter((check) => check.name === rest);
    if (asked.length === 0) return text(404, '404 page not found\n');
    const excluded = new Set(request.query.get('exclude').split(','));
    const results = await Promise.all(asked.map((check) => run(core, check, excluded.has(check.name))));
    const failed = results.some((result) => result.failed);
    const verbose = request.query.has('verbose') || failed;
    if (!verbose || rest !== '') return text(failed ? 500 : 200, failed ? lines(results) : 'ok');
    return text(failed ? 500 : 200, `${lines(results)}${name} check ${failed ? 'failed' : 'passed'}\n`);
  });
}

interface Result {
  readonly failed: boolean;
  readonly line: string;
}

async function run(core: Core, { name, check }: HealthCheck, excluded: boolean): Promise<Result> {
  if (excluded) return { failed: false, line: `[+]${name} excluded: ok` };
  try {
    await check(core);
    return { failed: false, line: `[+]${name} ok` };
  } catch (error) {
    core.log.warn('a health check failed', { check: name, reason: messageOf(error) });
    return { failed: true, line: `[-]${name} failed: reason withheld` };
  }
}

function lines(results: readonly Result[]): string {
  return results.map(({ line }) => `${line}\n`).join('');
}

function text(code: number, body: string): Reply {
  return { kind: 'text', code, contentType: 'text/plain; charset=utf-8', body };
}
