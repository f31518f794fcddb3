import type { Duplex } from './duplex.ts';
import { StreamCutError } from './duplex.ts';

/**
 * Hands on everything that either stream brings to the other, half-closes too, at the pace of the slower. Resolves
 * when both are over; what breaks one, or `signal`, drops the other, which has had all that came before. Never
 * rejects: answers with what broke it.
 */
export async function joinDuplex(a: Duplex, b: Duplex, signal?: AbortSignal): Promise<Error | undefined> {
  const drop = (error: Error): void => {
    a.abort(error);
    b.abort(error);
  };
  const onAbort = (): void => drop(new StreamCutError('the stream was called off', signal?.reason));
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const [first, second] = await Promise.all([pump(a, b, drop), pump(b, a, drop)]);
  signal?.removeEventListener('abort', onAbort);
  if (first !== undefined || second !== undefined) drop((first ?? second) as Error);
  return first ?? second;
}

async function pump(from: Duplex, to: Duplex, drop: (error: Error) => void): Promise<Error | undefined> {
  let reading = true;
  try {
    for (let chunk = await from.read(); chunk !== undefined; chunk = await from.read()) {
      reading = false;
      await to.write(chunk);
      reading = true;
    }
    reading = false;
    await to.end();
    return undefined;
  } catch (error) {
    // One that takes no more may still have something to say; reading it tells when not.
    if (reading) drop(error as Error);
    // Whoever waits to be heard there would in turn not listen to what `to` says: the other direction would never end.
    // Never rejects: see below.
    else void discard(from);
    return error as Error;
  }
}

/** Reads what nobody takes any more, until that ends or is dropped. Never rejects. */
async function discard(from: Duplex): Promise<void> {
  try {
    while ((await from.read()) !== undefined);
  } catch {
    // It was dropped: that is what was waited for.
  }
}
