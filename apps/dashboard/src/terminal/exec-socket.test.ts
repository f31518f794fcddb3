import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { replaceGlobals } from '../testing.ts';
import { openExec, reasonIn } from './exec-socket.ts';

for (const [text, reason] of [
  ['{"status":"Success"}', 'the command ended'],
  ['{"status":"Failure","message":"command terminated with exit code 3"}', 'command terminated with exit code 3'],
  ['no status', 'no status'],
] as const)
  test(text, () => equal(reasonIn(text), reason));

/** A connection that opens when it is told to. */
class FakeSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static last: FakeSocket | undefined;
  readonly sent: string[] = [];
  readyState = FakeSocket.CONNECTING;

  constructor() {
    super();
    FakeSocket.last = this;
  }

  send(framed: Uint8Array): void {
    this.sent.push(`${framed[0]} ${new TextDecoder().decode(framed.subarray(1))}`);
  }

  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.dispatchEvent(new Event('open'));
  }
}

test('a command hears of the size of its terminal first, then what was typed before it was there', (t) => {
  replaceGlobals(t, {
    WebSocket: FakeSocket,
    location: { protocol: 'http:', host: 'localhost' },
    sessionStorage: { getItem: () => 'secret' },
  });
  const session = openExec('/exec', { columns: 120, rows: 40 }, { output: () => undefined, ended: () => undefined });
  session.type('ls');
  deepEqual(FakeSocket.last?.sent, []);
  FakeSocket.last?.open();
  session.resize({ columns: 80, rows: 24 });
  deepEqual(FakeSocket.last?.sent, ['4 {"Width":120,"Height":40}', '0 ls', '4 {"Width":80,"Height":24}']);
});
