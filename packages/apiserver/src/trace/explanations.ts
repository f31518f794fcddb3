import { detailOf, formatTime } from '@binnacle/base';
import type { HopDetail } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { PodExplanation } from '@binnacle/trace';
import type { AnyCall, Reply } from '../catalogue/definition.ts';
import type { ComponentRecord } from '../recording/record.ts';
import { EXPLANATION_COLUMNS } from './columns.ts';
import { readingFor } from './hops.ts';
import type { TraceWorld } from './hops.ts';
import { TRACE_API_VERSION } from './hops-of-record.ts';
import type { Reading } from './hops-of-record.ts';
import { Turns } from '../request/turns.ts';
import { selectionOfNames } from './select-names.ts';
import { shownDecision } from './shown-decision.ts';

/** GET on `explanations` and on one of them: the latest decision about each pod. */
export async function answerExplanations(world: TraceWorld, call: AnyCall): Promise<Reply> {
  const reading = await readingFor(world, call);
  const { decisions } = world.index;
  const { namespace, name, verb } = call.info;
  if (verb !== 'list') {
    const found = decisions.get(`${namespace}/${name}`);
    const isSeen = found !== undefined && (await reading.viewer.maySee(found));
    if (!isSeen) throw status.notFound(call.served.info, name);
    return { kind: 'object', code: 200, object: await explanationOf(reading, found), columns: EXPLANATION_COLUMNS };
  }
  const items: PodExplanation[] = [];
  const isSelected = selectionOfNames(call.query);
  const turns = new Turns(world.clock);
  // As they are now: others are decided while each of these is put into words, which takes a look at every node.
  for (const [pod, record] of [...decisions]) {
    if (!isSelected(record.hop.object?.name ?? '')) continue;
    if (namespace !== '' && !pod.startsWith(`${namespace}/`)) continue;
    if (await reading.viewer.maySee(record)) items.push(await explanationOf(reading, record));
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  const metadata = { resourceVersion: String(world.recorder.seq) };
  return {
    kind: 'object',
    code: 200,
    object: { apiVersion: TRACE_API_VERSION, kind: 'ExplanationList', metadata, items },
    items,
    columns: EXPLANATION_COLUMNS,
  };
}

async function explanationOf({ viewer }: Reading, { hop, seq, at }: ComponentRecord): Promise<PodExplanation> {
  const said: HopDetail = detailOf(hop) ?? { isComplete: false, refused: [], scored: [] };
  const detail = await shownDecision(viewer, said);
  const { namespace = '', name = '', uid } = hop.object ?? {};
  return {
    isComplete: false,
    refused: [],
    scored: [],
    ...detail,
    apiVersion: TRACE_API_VERSION,
    kind: 'Explanation',
    metadata: { name, namespace, creationTimestamp: formatTime(at) },
    ...(uid === undefined ? {} : { podUid: uid }),
    scheduler: hop.component,
    hop: String(seq),
    atMs: at,
    durationMs: hop.durationMs,
  };
}
