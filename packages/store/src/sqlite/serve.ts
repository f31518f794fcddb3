import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Clerk, describe } from './clerk.ts';
import type { Database } from './database.ts';
import type { Posted } from './mailbox.ts';
import { Inbox } from './mailbox.ts';
import type { FromWorker, WorkerStart } from './messages.ts';

/** After so long without anything to do the thread goes back to its event loop, where the engine gives memory back. */
const IDLE_MS = 100;

/** The thread of the SQLite store: opens the file and serves what comes. `open` is replaced by tests of faults. */
export function serveStore(open: (start: WorkerStart) => Database): void {
  const port = parentPort;
  if (port === null) return;
  const send = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  try {
    const start = workerData as WorkerStart;
    const receive = (): Posted | undefined => (receiveMessageOnPort(port) as { message: Posted } | undefined)?.message;
    const inbox = new Inbox(start.mailbox, receive);
    const db = open(start);
    const tellDurable = (batch: number): void => inbox.tellDurable(batch);
    const clerk = new Clerk(db, { send, tellDurable, receive: () => inbox.next() });
    port.on('message', (message: Posted) => {
      inbox.hold(message);
      serveUntilIdle(inbox, clerk);
    });
    send({ opened: true, ...(db.loss === undefined ? {} : { loss: db.loss }) });
  } catch (error) {
    send({ failed: describe(error) });
  }
}

/** Waits for the bell in place of the event loop, as long as there is much to do. */
function serveUntilIdle(inbox: Inbox, clerk: Clerk): void {
  let isIdle = false;
  inbox.setInLoop(isIdle);
  for (;;) {
    const message = inbox.next();
    if (message === undefined && isIdle) return;
    const wasIdle: boolean = isIdle;
    isIdle = message === undefined && !clerk.compact() && !inbox.wait(IDLE_MS);
    if (isIdle !== wasIdle) inbox.setInLoop(isIdle);
    if (message !== undefined) clerk.serve(message);
  }
}
