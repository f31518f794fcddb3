import { decisionLines } from './decision-lines.ts';
import { LANES, laneOfComponent, laneOfUser } from './lanes.ts';
import type { Lane } from './lanes.ts';
import type { TraceHop } from './hop.ts';
import { inOrder } from './order.ts';
import { harmless } from './steering.ts';
import { StepFinder, stepsOf } from './steps.ts';

/** A hop as a picture shows it: from one lane to another, or (`from` is `to`) a note on one. */
export interface Arrow {
  readonly from: Lane;
  readonly to: Lane;
  readonly label: string;
  /** Since the first hop of the story that is no watch; below 0: before it. */
  readonly afterMs: number;
  /** 0: it took no time worth telling. */
  readonly durationMs: number;
  /** 1 to 11: the step of the story of a pod, as every book tells it. */
  readonly step?: number;
  readonly failed: boolean;
  /** What is to be read below it: of a decision its filters and scores. */
  readonly lines: readonly string[];
  readonly hop: TraceHop;
}

/** The arrows of a story, in order. Texts are made safe for a terminal: what would steer it is replaced. */
export function arrowsOf(hops: readonly TraceHop[]): Arrow[] {
  const ordered = inOrder(hops);
  const steps = stepsOf(ordered);
  const start = ordered.find(isBeginning)?.atMs ?? 0;
  return ordered.map((hop) => arrowOf(hop, start, steps.get(hop.metadata.name)));
}

/** The arrows of a story that goes on, each as its hop comes. */
export class LiveArrows {
  readonly #steps = new StepFinder();
  #start: number | undefined;

  next(hop: TraceHop): Arrow {
    if (isBeginning(hop)) this.#start ??= hop.atMs;
    return arrowOf(hop, this.#start ?? Infinity, this.#steps.stepOf(hop));
  }
}

/** The lanes that arrows touch, from left to right. */
export function lanesOf(arrows: readonly Arrow[]): readonly Lane[] {
  const touched = new Set(arrows.flatMap(({ from, to }) => [from, to]));
  return LANES.filter((lane) => touched.has(lane));
}

/** Watches were opened long before: the time of the story begins with what happened. */
function isBeginning({ type }: TraceHop): boolean {
  return type !== 'watch' && type !== 'authorization';
}

const NO_LINES: readonly string[] = [];

function arrowOf(hop: TraceHop, start: number, step: number | undefined): Arrow {
  return {
    ...placeOf(hop),
    label: harmless(labelOf(hop)),
    afterMs: hop.atMs - start,
    durationMs: hop.durationMs,
    ...(step === undefined ? {} : { step }),
    failed: hop.error !== undefined,
    lines: hop.type === 'decision' ? decisionLines(hop.detail ?? {}).map(harmless) : NO_LINES,
    hop,
  };
}

/** The lane of who asked, or to whom a watch belongs. */
export function laneOfHop({ type, user = '', component, detail = {} }: TraceHop): Lane {
  // A queue is its worker's.
  if (type === 'queue') return detail['of'] === 'decision' ? 'scheduler' : 'controllers';
  return type === 'request' || type === 'watch' || type === 'delivery'
    ? laneOfUser(user)
    : laneOfComponent(component, type);
}

function placeOf(hop: TraceHop): Pick<Arrow, 'from' | 'to'> {
  const lane = laneOfHop(hop);
  switch (hop.type) {
    case 'request':
    case 'watch':
      return { from: lane, to: 'apiserver' };
    case 'delivery':
      return { from: 'apiserver', to: lane };
    case 'commit':
      return { from: 'apiserver', to: 'store' };
    case 'runtime':
      return { from: 'kubelet', to: 'runtime' };
    default:
      return { from: lane, to: lane };
  }
}

function labelOf({ type, title, detail = {}, error, component, impersonatedUser, user = '' }: TraceHop): string {
  const failed = error === undefined ? '' : ` ✗ ${error}`;
  switch (type) {
    case 'authorization': {
      const { reason = '' } = detail as { readonly reason?: string };
      return `${title}${reason === '' ? '' : `: ${reason}`}`;
    }
    case 'watch':
      return `watch ${withoutLimits(title)}`;
    case 'event':
      return `event ${title}`;
    case 'runtime': {
      const { container = '', image = '' } = detail as { readonly container?: string; readonly image?: string };
      return [title, container, image].filter((part) => part !== '').join(' ') + failed;
    }
    case 'reconcile':
    case 'queue':
      return `${component}: ${title}${failed}`;
    default:
      return `${title}${impersonatedUser === undefined ? '' : ` (${user} as ${impersonatedUser})`}${failed}`;
  }
}

/** The selectors of a watch, without what every watch says. */
function withoutLimits(title: string): string {
  const [path = '', query = ''] = title.replace(/^GET /, '').split('?');
  const told = [...new URLSearchParams(query)].filter(([name]) => name.endsWith('Selector'));
  return told.length === 0 ? path : `${path} (${told.map(([name, value]) => `${name} ${value}`).join(', ')})`;
}
