import { messageOf } from '@binnacle/base';
import type { CommandOutcome, CommandSession, PortTarget } from '@binnacle/streams';
import type { KubeletStreams } from '../pod/streams.ts';

/** What a session runs: answers with an exit code, or nothing where there is none. */
export type Act = (io: Parameters<KubeletStreams['attach']>[1]) => Promise<number | undefined>;

/** Carries a session of exec or attach to its end. Never rejects: the client hears how it ended, if it is there. */
export async function serveSession(
  session: CommandSession,
  act: Act,
  words: { readonly tty: boolean; readonly failed: string; readonly exited: string },
): Promise<void> {
  const abort = new AbortController();
  // Never rejects: `closed` does not.
  void session.closed.then(() => abort.abort());
  const { stdin, stdout, stderr, sizes } = session;
  const io = {
    tty: words.tty,
    sizes,
    signal: abort.signal,
    ...(stdin === undefined ? {} : { stdin }),
    ...(stdout === undefined ? {} : { stdout }),
    ...(stderr === undefined ? {} : { stderr }),
  };
  let outcome: CommandOutcome;
  try {
    const exitCode = (await act(io)) ?? 0;
    outcome =
      exitCode === 0
        ? { kind: 'success' }
        : { kind: 'exit', exitCode, message: `${words.exited}, exit code ${exitCode}` };
  } catch (error) {
    const message = messageOf(error);
    // A runtime that serves streams of its own has said it already.
    outcome = { kind: 'failure', message: message.startsWith(words.failed) ? message : `${words.failed}: ${message}` };
  }
  try {
    await session.finish(outcome);
  } catch (error) {
    // The client has gone before it could be told.
    session.abort(error as Error);
  }
}

/** The ports of a pod, for port-forward. */
export function portsOf(streams: Pick<KubeletStreams, 'portForward'>, sandboxId: string): PortTarget {
  return {
    connect: (port) => streams.portForward(sandboxId, port),
    describe: (port, error) => {
      // A runtime that knows pods by itself has said so already.
      if (error.message.startsWith('error forwarding port')) return error.message;
      return `error forwarding port ${port} to pod ${sandboxId}, uid : ${error.message}`;
    },
  };
}
