import { shellWord } from '../command/shell-word.ts';
import type { ApiObject } from '../live/rows.ts';

/** A port that a pod says it serves. */
export interface PodPort {
  readonly port: number;
  /** Its container and, where it has one, its own name. */
  readonly of: string;
}

/** The TCP ports that a pod's containers name, each once. Takes objects of any shape. */
export function portsOf({ spec }: ApiObject): readonly PodPort[] {
  const found = new Map<number, PodPort>();
  for (const container of listIn(spec, 'containers')) {
    for (const one of listIn(container, 'ports')) {
      const { containerPort, protocol = 'TCP', name } = one;
      if (typeof containerPort !== 'number' || protocol !== 'TCP' || found.has(containerPort)) continue;
      const of = [container['name'], name].filter((part) => typeof part === 'string').join(' ');
      found.set(containerPort, { port: containerPort, of });
    }
  }
  return [...found.values()];
}

/** The same on a command line. */
export function forwardCommand(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  port: number,
): string {
  return `kubectl port-forward ${shellWord(`pods/${name}`)} -n ${shellWord(namespace)} ${port}`;
}

type Members = { readonly [name: string]: unknown };

function listIn(owner: unknown, field: string): readonly Members[] {
  const list = typeof owner === 'object' && owner !== null ? (owner as Members)[field] : undefined;
  return Array.isArray(list) ? list.filter((one): one is Members => typeof one === 'object' && one !== null) : [];
}
