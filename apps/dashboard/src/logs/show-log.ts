import { followLog } from './follow-log.ts';
import { LogLines } from './log-lines.ts';
import type { LogLook } from './log-lines.ts';

/** How logs are followed, and when they are drawn. */
export interface ShowWorld {
  readonly follow: typeof followLog;
  /** Before the next frame is drawn. */
  readonly soon: (run: () => void) => void;
}

const PAGE: ShowWorld = { follow: followLog, soon: (run) => void requestAnimationFrame(run) };

/** What is followed: each path is a source of lines, by its place. */
export interface ShownLogs extends LogLook {
  readonly paths: readonly string[];
}

/** Why some of the sources are not there for now, by their places. */
export type LogErrors = ReadonlyMap<number, string>;

/** Follows logs and shows them together as they come, at most once a frame, until what is returned is called. */
export function showLogs(
  { paths, ...look }: ShownLogs,
  show: (log: LogLines, errors: LogErrors) => void,
  world: ShowWorld = PAGE,
): () => void {
  const log = new LogLines(look);
  const errors = new Map<number, string>();
  let isDrawing = false;
  let isStopped = false;
  const draw = (): void => {
    if (isDrawing) return;
    isDrawing = true;
    world.soon(() => {
      isDrawing = false;
      // By then it may be another log that is looked at.
      if (!isStopped) show(log, new Map(errors));
    });
  };
  show(log, errors);
  const stops = paths.map((path, source) =>
    world.follow(path, {
      answered() {
        if (errors.delete(source)) draw();
      },
      begin() {
        errors.delete(source);
        log.forget(source);
      },
      take(text) {
        log.take(text, source);
        draw();
      },
      fail(message) {
        errors.set(source, message);
        draw();
      },
    }),
  );
  return () => {
    isStopped = true;
    for (const stop of stops) stop();
  };
}
