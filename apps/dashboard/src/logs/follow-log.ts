import { streams } from '../api/streams.ts';
import type { StreamListener } from '../api/streams.ts';

/** Who reads a log. */
export interface LogListener {
  /** It is there, although nothing may have been written to it yet. */
  answered(): void;
  /** What comes from now on starts at the beginning again. */
  begin(): void;
  take(text: string): void;
  /** Why nothing comes, for now. */
  fail(message: string): void;
}

/** How a log reaches the API. */
export interface LogWorld {
  open(path: string, listener: StreamListener): () => void;
  after(delayMs: number, run: () => void): () => void;
}

const RETRY_MS_MIN = 1000;
const RETRY_MS_MAX = 20_000;

const PAGE: LogWorld = {
  open: (path, listener) => streams.open(path, '*/*', listener),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Follows a log until what is returned is called, or it ends in peace. What breaks off is opened anew, and so is what is
 * refused (a container that has not started yet has a log a moment later), but for what the viewer may not read.
 */
export function followLog(path: string, listener: LogListener, world: LogWorld = PAGE): () => void {
  let isStopped = false;
  let retryMs = RETRY_MS_MIN;
  let stop = (): void => undefined;
  const open = (): void => {
    let code = 200;
    let refusal = '';
    let hasBegun = false;
    stop = world.open(path, {
      status: (status) => {
        code = status;
        if (code < 400) listener.answered();
      },
      data: (text) => {
        if (code >= 400) {
          refusal += text;
          return;
        }
        // What was read before stays until there is something in its place.
        if (!hasBegun) listener.begin();
        hasBegun = true;
        retryMs = RETRY_MS_MIN;
        listener.take(text);
      },
      ended: (error) => {
        if (isStopped || (error === undefined && code < 400)) return;
        listener.fail(error ?? messageIn(refusal));
        // Who may not read it now may not read it a second later.
        if (error === undefined && code === 403) return;
        stop = world.after(retryMs, open);
        retryMs = Math.min(RETRY_MS_MAX, retryMs * 2);
      },
    });
  };
  open();
  return () => {
    isStopped = true;
    stop();
  };
}

/** The message of a Status; the text where it is none. */
function messageIn(text: string): string {
  try {
    return (JSON.parse(text) as { readonly message?: string }).message ?? text;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
