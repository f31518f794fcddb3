import type { EventEmitter } from 'node:events';

/** Where Node keeps who listens. */
interface Heard {
  _events: object;
  _eventsCount: number;
}

/**
 * Has a stream forget its listeners, and what they hold, once it has told that it is closed. For streams that have said all;
 * an error that comes behind all else is nobody's, and does not end the process. Called when `destroy` has been, or in the listener of `close`.
 *
 * A closed stream lives until the next full collection, whoever has let it go: Node 24 gives each that can be written to a
 * callback (`this.onwrite = (er) => onwrite(stream, er)`; 20 bound one), V8 makes a function that is written as the value of a
 * property among the old objects at once, and what an old object leads to outlives the young collections, be it dead itself.
 * `removeAllListeners` would tell of each that goes, as streams of HTTP/2 listen for that.
 */
export function forgetListeners(stream: EventEmitter): void {
  // `close` is told in a tick that is due before.
  process.nextTick(forget, stream);
}

function forget(stream: Heard): void {
  stream._events = { error: ignore };
  stream._eventsCount = 1;
}

function ignore(): void {}
