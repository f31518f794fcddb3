import { messageOf } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';
import type { CommandOutcome, CommandSession, CommandStreams } from '../command/session.ts';
import { runCommandOverSpdy } from '../command/spdy-client.ts';
import { isDone } from '../is-done.ts';
import { spdyClientOver } from './dial.ts';
import type { TranslationGround } from './dial.ts';

/** How a translated command came out, for those who count. */
export type Translated = 'ended' | 'failed';

/**
 * Exec or attach for a client that is here, at a server of SPDY (v4). `dial` connects to it; its failure, like every
 * other, is told to the client as the command's. Ends with the session, and takes the connection with it. Never rejects.
 */
export async function translateCommand(
  session: CommandSession,
  wanted: CommandStreams,
  { dial, ...ground }: TranslationGround & { readonly dial: (signal: AbortSignal) => Promise<Duplex> },
): Promise<Translated> {
  const gone = new AbortController();
  // Never rejects: `closed` does not.
  void session.closed.then(() => gone.abort());
  const outcome = await run(session, wanted, { ...ground, dial: () => dial(gone.signal), gone: gone.signal });
  // A client that has gone hears nothing.
  await isDone(session.finish(outcome));
  session.abort();
  return outcome.kind === 'failure' ? 'failed' : 'ended';
}

async function run(
  session: CommandSession,
  wanted: CommandStreams,
  { dial, gone, ...ground }: TranslationGround & { readonly dial: () => Promise<Duplex>; readonly gone: AbortSignal },
): Promise<CommandOutcome> {
  let carrier: Duplex | undefined;
  const drop = (): void => carrier?.abort();
  gone.addEventListener('abort', drop, { once: true });
  try {
    carrier = await dial();
    if (gone.aborted) drop();
    const connection = spdyClientOver(carrier, ground);
    const outcome = await runCommandOverSpdy(connection, wanted, session);
    // Not waited for: what the client is told does not depend on it, and it ends in its time. Never rejects.
    void connection.close();
    return outcome;
  } catch (error) {
    drop();
    return { kind: 'failure', message: messageOf(error) };
  } finally {
    // What has ended in good order is let end so.
    gone.removeEventListener('abort', drop);
  }
}
