/**
 * A program that floods a server: many connections, each of which asks anew as soon as it is answered, whatever the
 * answer is. Begins with the first message of its parent, a FloodWish, and tells what it was answered at the second.
 */
import { once } from 'node:events';
import { Agent, request } from 'node:https';

/** Whom to flood, and how. */
export interface FloodWish {
  readonly server: string;
  /** Of the users as whom it asks, in turn. */
  readonly tokens: readonly string[];
  readonly connections: number;
  readonly listPath: string;
  readonly createPath: string;
  /** One in so many requests creates an object; the others list. */
  readonly createEach: number;
}

/** Answers by their code. */
export interface FloodCount {
  readonly [code: string]: number;
}

const [wish] = (await once(process, 'message')) as [FloodWish];
const agent = new Agent({ keepAlive: true, maxSockets: wish.connections, rejectUnauthorized: false });
const body = JSON.stringify({ metadata: { generateName: 'noise-' }, data: { a: 'x'.repeat(200) } });
const counted: Record<string, number> = {};
let stopped = false;

process.once('message', () => (stopped = true));
await Promise.all(Array.from({ length: wish.connections }, (_, n) => keepAsking(n)));
agent.destroy();
process.send?.(counted satisfies FloodCount, () => process.disconnect());

async function keepAsking(connection: number): Promise<void> {
  const token = wish.tokens[connection % wish.tokens.length];
  for (let n = connection; !stopped; n++) {
    const code = await ask(String(token), n % wish.createEach === 0);
    counted[code] = (counted[code] ?? 0) + 1;
  }
}

async function ask(token: string, creates: boolean): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, ...(creates ? { 'content-type': 'application/json' } : {}) };
  const url = new URL(creates ? wish.createPath : wish.listPath, wish.server);
  const call = request(url, { method: creates ? 'POST' : 'GET', headers, agent });
  call.end(creates ? body : undefined);
  const [response] = await once(call, 'response');
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}
