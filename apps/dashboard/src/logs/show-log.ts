import { followLog } from './follow-log.ts';
import { LogLines } from './log-lines.ts';

/** How a log is followed, and when it is drawn. */
export interface ShowWorld {
  readonly follow: typeof followLog;
  /** Before the next frame is drawn. */
  readonly soon: (run: () => void) => void;
}

const PAGE: ShowWorld = { follow: followLog, soon: (run) => void requestAnimationFrame(run) };

/** Follows a log and shows it as it comes, at most once a frame, until what is returned is called. */
export function showLog(
  path: string,
  show: (log: LogLines, error?: string) => void,
  world: ShowWorld = PAGE,
): () => void {
  let log = new LogLines();
  let isDrawing = false;
  let isStopped = false;
  show(log);
  const stop = world.follow(path, {
    begin: () => {
      log = new LogLines();
    },
    take: (text) => {
      log.take(text);
      if (isDrawing) return;
      isDrawing = true;
      world.soon(() => {
        isDrawing = false;
        // By then it may be another log that is looked at.
        if (!isStopped) show(log);
      });
    },
    fail: (message) => show(log, message),
  });
  return () => {
    isStopped = true;
    stop();
  };
}
