import type { Clock } from '@binnacle/base';
import type { ComponentPause, Pauses } from '@binnacle/trace';
import type { AnyCall } from '../catalogue/definition.ts';
import { INITIAL_EVENTS_END } from './hop-stream.ts';
import { TRACE_API_VERSION } from './hops-of-record.ts';
import type { StreamSource } from './pulled-streams.ts';
import { selectionOfNames } from './select-names.ts';

/** What changes in so short a time is told once. */
const SETTLE_MS = 50;

/** Who is held, and how. */
export interface PauseWorld {
  readonly pauses: Pauses;
  readonly clock: Clock;
  readonly shown: (pause: ComponentPause) => object;
}

/** GET on `pauses` with `watch`: whoever changed since the version named, then whoever changes. */
export function pauseStream({ pauses, clock, shown }: PauseWorld, { info, query }: AnyCall): StreamSource {
  const isSelected = selectionOfNames(query);
  let after = query.integer('resourceVersion') ?? 0;
  const endsInitial = query.get('sendInitialEvents') === 'true';
  const line = (pause: ComponentPause): string =>
    (info.name === '' || info.name === pause.component) && isSelected(pause.component)
      ? `${JSON.stringify({ type: 'MODIFIED', object: shown(pause) })}\n`
      : '';
  return {
    clock,
    settleMs: SETTLE_MS,
    follow: (onChange) => pauses.follow(onChange),
    next(isFirst) {
      const text = pauses.changedAfter(after).map(line).join('');
      after = pauses.version;
      return { text: isFirst && endsInitial ? text + initialEnd(after) : text };
    },
  };
}

function initialEnd(version: number): string {
  const metadata = { resourceVersion: String(version), annotations: INITIAL_EVENTS_END };
  const object = { apiVersion: TRACE_API_VERSION, kind: 'Pause', metadata };
  return `${JSON.stringify({ type: 'BOOKMARK', object })}\n`;
}
