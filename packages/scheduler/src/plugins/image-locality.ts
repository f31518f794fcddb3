import type { Pod } from '@binnacle/api/core/v1';
import { MAX_NODE_SCORE } from '../plan/framework.ts';
import type { PluginFactory } from '../handle.ts';
import type { NodeScore } from '../plan/framework.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import { noArguments } from './arguments.ts';

const MEBIBYTE = 1024 * 1024;
/** Below this much that is there already, nothing is gained; above the other, per container, nothing more. */
const THRESHOLD_MIN = 23 * MEBIBYTE;
const THRESHOLD_MAX_PER_CONTAINER = 1000 * MEBIBYTE;

/** A name as nodes report it: with a tag. */
function withTag(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}

function imagesOf({ spec }: Pod): string[] {
  const mounted = (spec.volumes ?? []).flatMap(({ image }) => (image === undefined ? [] : [image.reference]));
  const run = [...(spec.initContainers ?? []), ...spec.containers].map((c) => c.image);
  return [...run, ...mounted].map((name) => withTag(name ?? ''));
}

function score({ nodes }: Snapshot, pod: Pod): NodeScore | undefined {
  const images = imagesOf(pod);
  const wanted = images.flatMap((image) => {
    const there = nodes.nodesWithImage(image);
    return there === undefined ? [] : [there];
  });
  // Images that are mounted count, but raise no bound.
  const containers = pod.spec.containers.length + (pod.spec.initContainers?.length ?? 0);
  const highest = THRESHOLD_MAX_PER_CONTAINER * containers;
  const spread = wanted.map(({ bySlot }) => bySlot.size / nodes.size);
  // Where even all of them together gain nothing, no node is better than another.
  const most = wanted.reduce((sum, { largest }, i) => sum + Math.floor(largest * (spread[i] ?? 0)), 0);
  if (most <= THRESHOLD_MIN) return undefined;
  return (slot) => {
    let sum = 0;
    for (let i = 0; i < wanted.length; i++) sum += Math.floor((wanted[i]!.bySlot.get(slot) ?? 0) * spread[i]!);
    const clamped = Math.min(Math.max(sum, THRESHOLD_MIN), highest);
    return Math.floor((MAX_NODE_SCORE * (clamped - THRESHOLD_MIN)) / (highest - THRESHOLD_MIN));
  };
}

/** Likes nodes that have the pod's images already, the more so the more nodes have them (against crowding). */
export const imageLocality: PluginFactory = {
  name: 'ImageLocality',
  create: (_, args) => ({
    name: noArguments('ImageLocality', args),
    score: ({ pod }, snapshot) => score(snapshot, pod),
  }),
};
