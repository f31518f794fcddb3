import { messageOf } from '@binnacle/base';
import type { Hop, Trace } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import type { ContainerConfig, Runtime, SandboxConfig } from '@binnacle/runtime';

/** What changes something of a pod on the node; questions are not told. */
const STEPS: ReadonlyMap<string, string> = new Map([
  ['runSandbox', 'run sandbox'],
  ['stopSandbox', 'stop sandbox'],
  ['removeSandbox', 'remove sandbox'],
  ['createContainer', 'create container'],
  ['startContainer', 'start container'],
  ['stopContainer', 'stop container'],
  ['removeContainer', 'remove container'],
  ['updateResources', 'update resources'],
  ['pullImage', 'pull image'],
]);

/** Whose steps they are. */
export interface TracedRuntimeOptions {
  readonly trace: Trace;
  readonly nodeName: string;
  readonly podByUid: (uid: string) => Pod | undefined;
  /** The pod that a container or a sandbox belongs to. */
  readonly podOf: (id: string) => Pod | undefined;
}

/** A runtime whose steps are traced with their time and the version of the pod that was acted upon. Off: the runtime itself. */
export function tracedRuntime(runtime: Runtime, options: TracedRuntimeOptions): Runtime {
  if (!options.trace.on) return runtime;
  return new Proxy(runtime, {
    get(target, name): unknown {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      const title = STEPS.get(name);
      // What a driver keeps to itself is its own, not the proxy's.
      if (title === undefined) return member.bind(target) as unknown;
      return (...args: readonly unknown[]): unknown => {
        const startedAt = options.trace.now();
        const step = { name, title, startedAt, ...subjectOf(options, name, args) };
        const answer: unknown = Reflect.apply(member, target, args);
        if (answer instanceof Promise) tell(options, step, answer);
        return answer;
      };
    },
  });
}

interface Subject {
  readonly pod: Pod | undefined;
  readonly detail: { readonly [field: string]: unknown };
}

interface Step extends Subject {
  readonly name: string;
  readonly title: string;
  readonly startedAt: number;
}

/** The caller hears of a failure from the answer itself. */
function tell({ trace, nodeName }: TracedRuntimeOptions, step: Step, answer: Promise<unknown>): void {
  const { name, title, startedAt, pod, detail } = step;
  const record = (end: Pick<Hop, 'error'>, id: unknown): void =>
    trace.record({
      kind: 'runtime',
      component: `runtime ${nodeName}`,
      name: title,
      startedAt,
      durationMs: trace.now() - startedAt,
      ...(pod === undefined ? {} : aboutPod(pod)),
      ...end,
      detail: { call: name, ...detail, ...(typeof id === 'string' ? { id } : {}) },
    });
  answer.then(
    (result) => record({}, result),
    (error: unknown) => record({ error: messageOf(error) }, undefined),
  );
}

/** What a hop says of the pod that it is about, and which version of it was seen. */
export function aboutPod({ metadata }: Pod): Pick<Hop, 'object' | 'revision'> {
  const { namespace = '', name = '', uid = '', resourceVersion } = metadata;
  return {
    object: { group: '', resource: 'pods', namespace, name, uid },
    ...(resourceVersion === undefined ? {} : { revision: resourceVersion }),
  };
}

function subjectOf(options: TracedRuntimeOptions, name: string, args: readonly unknown[]): Subject {
  const { podByUid, podOf } = options;
  if (name === 'runSandbox') return { pod: podByUid((args[0] as SandboxConfig).uid), detail: {} };
  if (name === 'createContainer') {
    const [, container, sandbox] = args as [string, ContainerConfig, SandboxConfig];
    const { name: containerName, imageName, attempt } = container;
    return { pod: podByUid(sandbox.uid), detail: { container: containerName, image: imageName, attempt } };
  }
  const [first = ''] = args as [string?];
  if (name === 'pullImage') return { pod: undefined, detail: { image: first } };
  return { pod: podOf(first), detail: { id: first } };
}
