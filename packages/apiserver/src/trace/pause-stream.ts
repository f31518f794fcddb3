import type { Clock } from '@binnacle/base';
import type { ComponentPause, Pauses } from '@binnacle/trace';
import type { KubeObject } from '@binnacle/machinery';
import type { AnyCall } from '../catalogue/definition.ts';
import type { TablePrinter } from '../ports/columns.ts';
import { TRACE_API_VERSION } from './hops-of-record.ts';
import type { StreamSource } from './pulled-streams.ts';
import { selectionOfNames } from './select-names.ts';
import { ToldEvents } from './told-events.ts';

/** What changes in so short a time is told once. */
const SETTLE_MS = 50;

/** Who is held, and how. */
export interface PauseWorld {
  readonly pauses: Pauses;
  readonly clock: Clock;
  readonly shown: (pause: ComponentPause) => KubeObject;
  readonly columns: TablePrinter;
}

/** GET on `pauses` with `watch`: whoever changed since the version named, then whoever changes. */
export function pauseStream({ pauses, clock, shown, columns }: PauseWorld, call: AnyCall): StreamSource {
  const { info, query } = call;
  const events = new ToldEvents({ call, columns, clock });
  const isSelected = selectionOfNames(query);
  let after = query.integer('resourceVersion') ?? 0;
  const endsInitial = query.get('sendInitialEvents') === 'true';
  const line = (pause: ComponentPause): string =>
    (info.name === '' || info.name === pause.component) && isSelected(pause.component)
      ? events.line('MODIFIED', shown(pause))
      : '';
  return {
    clock,
    settleMs: SETTLE_MS,
    follow: (onChange) => pauses.follow(onChange),
    next(isFirst) {
      const text = pauses.changedAfter(after).map(line).join('');
      after = pauses.version;
      return { pieces: isFirst && endsInitial ? [text, events.bookmark(mark(after), { isFirst })] : [text] };
    },
  };
}

function mark(version: number): KubeObject {
  return { apiVersion: TRACE_API_VERSION, kind: 'Pause', metadata: { resourceVersion: String(version) } };
}
