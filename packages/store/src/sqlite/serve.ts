import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Clerk, describe } from './clerk.ts';
import type { Database } from './database.ts';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';

/** The thread of the SQLite store: opens the file and serves what comes. `open` is replaced by tests of faults. */
export function serveStore(open: (start: WorkerStart) => Database): void {
  const port = parentPort;
  if (port === null) return;
  const send = (message: FromWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  try {
    const receive = (): ToWorker | undefined =>
      (receiveMessageOnPort(port) as { message: ToWorker } | undefined)?.message;
    const db = open(workerData as WorkerStart);
    const clerk = new Clerk(db, send, receive);
    port.on('message', (message: ToWorker) => clerk.serve(message));
    send({ opened: true, ...(db.loss === undefined ? {} : { loss: db.loss }) });
  } catch (error) {
    send({ failed: describe(error) });
  }
}
