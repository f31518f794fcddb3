import type { LogLine } from './log-lines.ts';

/** What of a pod's logs is looked at. */
export interface LogChoice {
  /** One container, or `ALL`. */
  readonly container: string;
  /** Of the containers that ran before those that are there. */
  readonly previous: boolean;
  readonly timestamps: boolean;
}

/** All containers of the pod, interleaved; none is called so. */
export const ALL = '*';

/** So many logs are followed at once. */
const FOLLOWED_MAX = 50;
/** So many lines that were there already are read, of all logs together; of each at least some. */
const TAIL = 2_000;
const TAIL_OF_ALL = 10_000;
const TAIL_MIN = 200;

/** The logs that are followed. */
export interface ChosenLogs {
  /** By their places lines say whose they are. */
  readonly containers: readonly string[];
  /** For each the query of its log. */
  readonly queries: readonly string[];
  /** Containers that there is no room for. */
  readonly left: number;
}

/** Which logs to ask for, and how: several are interleaved by their times, which are asked for whether or not they are shown. */
export function chosenLogs(all: readonly string[], { container, previous, timestamps }: LogChoice): ChosenLogs {
  const wanted = container === ALL ? all : [container];
  const containers = wanted.slice(0, FOLLOWED_MAX);
  const isTimed = timestamps || containers.length > 1;
  const tail = containers.length > 1 ? Math.max(TAIL_MIN, Math.floor(TAIL_OF_ALL / containers.length)) : TAIL;
  const queries = containers.map((name) => {
    const query = new URLSearchParams({ container: name, tailLines: String(Math.min(TAIL, tail)) });
    query.set('follow', String(!previous));
    if (previous) query.set('previous', 'true');
    if (isTimed) query.set('timestamps', 'true');
    return query.toString();
  });
  return { containers, queries, left: wanted.length - containers.length };
}

/** Lines as a file has them: of several containers each with the name of its own in front. */
export function textOf(lines: readonly LogLine[], containers: readonly string[]): string {
  return lines.map(({ source, text }) => `${prefixOf(source, containers)}${text}\n`).join('');
}

/** In front of a line, where there are several containers. */
export function prefixOf(source: number, containers: readonly string[]): string {
  return containers.length > 1 ? `[${containers[source] ?? ''}] ` : '';
}
