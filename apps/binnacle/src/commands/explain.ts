import { readText, status } from '@binnacle/machinery';
import type { StatusError } from '@binnacle/machinery';
import { harmless, pointsOf, refusalLines } from '@binnacle/trace';
import type { PodExplanation } from '@binnacle/trace';
import { CommandFailedError, UsageError } from '../errors.ts';
import { renderTable } from '../host/pod-table.ts';
import { asking, NO_TRACE } from './trace.ts';
import type { AskFlags } from './trace.ts';

/** The flags of `binnacle explain`. */
export interface ExplainFlags extends AskFlags {
  readonly output?: 'json' | 'yaml';
}

/** What a 404 says of a pod's explanation: that of a server without the group names nothing that was asked for. */
export function whyUnknown({ status: { details } }: StatusError, pod: string): string {
  if (details?.name === undefined) return NO_TRACE;
  return `no decision about pod ${pod} is known to this API server`;
}

/** `binnacle explain pod NAME`: why the scheduler put it where it is, or nowhere. */
export async function explain(words: readonly string[], flags: ExplainFlags): Promise<void> {
  const [kind = '', name = '', ...rest] = words.length === 1 ? (words[0] ?? '').split('/') : words;
  if (!['po', 'pod', 'pods'].includes(kind) || name === '' || rest.length > 0) {
    throw new UsageError('only pods are scheduled: binnacle explain pod NAME');
  }
  await asking(flags, async ({ wire, namespace }) => {
    const place = `namespaces/${encodeURIComponent(namespace)}/explanations/${encodeURIComponent(name)}`;
    const text = await readText(wire, `/apis/trace.binnacle.dev/v1/${place}`).catch((error: unknown) => {
      throw status.isNotFound(error) ? new CommandFailedError(whyUnknown(error, `${namespace}/${name}`)) : error;
    });
    if (flags.output === 'json') return void process.stdout.write(`${text.trimEnd()}\n`);
    const explanation = JSON.parse(text) as PodExplanation;
    if (flags.output === 'yaml') {
      const { dump } = await import('js-yaml');
      return void process.stdout.write(dump(explanation));
    }
    const pod = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
    // Whoever may not see the pod, or comes too late for it, hears of the decision all the same.
    const now = await readText(wire, pod).catch(() => undefined);
    process.stdout.write(`${earlierNote(explanation, now)}${explanationText(explanation)}`);
  });
}

/** That the decision was about another pod of the name than the one that is there, of which `now` is the JSON. */
export function earlierNote({ podUid }: PodExplanation, now: string | undefined): string {
  if (podUid === undefined || now === undefined) return '';
  const { uid } = (JSON.parse(now) as { readonly metadata: { readonly uid?: string } }).metadata;
  return uid === podUid ? '' : 'of an earlier pod of this name; about the one that is there nothing is decided yet:\n';
}

/** An explanation for people: the outcome, who fell and why, who got which points. */
export function explanationText(explanation: PodExplanation): string {
  const { metadata, scheduler, node, message = '', scored } = explanation;
  const lines = [
    `${metadata.namespace}/${metadata.name}: ${node === undefined ? `not scheduled: ${message}` : `on ${node}`} (${scheduler}, ${explanation.durationMs.toFixed(2)} ms)`,
  ];
  lines.push(...refusalLines({ ...explanation }));
  const plugins = [...new Set(scored.flatMap(({ by }) => Object.keys(by)))];
  const table = scored.map(({ node: name, total, by }) => [
    harmless(name),
    ...[...plugins.map((plugin) => pointsOf(by, plugin)), total].map(rounded),
  ]);
  const scores =
    table.length === 0
      ? ''
      : `\n${renderTable(['NODE', ...plugins.map((p) => harmless(p).toUpperCase()), 'TOTAL'], table)}`;
  return `${lines.map(harmless).join('\n')}\n${scores}`;
}

function rounded(points: number): string {
  return String(Math.round(points * 100) / 100);
}
