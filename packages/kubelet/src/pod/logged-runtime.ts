import { messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import type { ContainerConfig, Runtime, SandboxConfig } from '@binnacle/runtime';

const STEPS = 4;
const QUESTIONS = 8;

/** What changes something on the node, and how the log calls its first argument. */
const STEP_SUBJECTS: ReadonlyMap<string, string> = new Map([
  ['runSandbox', 'pod'],
  ['stopSandbox', 'sandbox'],
  ['removeSandbox', 'sandbox'],
  ['createContainer', 'sandbox'],
  ['startContainer', 'container'],
  ['stopContainer', 'container'],
  ['removeContainer', 'container'],
  ['updateResources', 'container'],
  ['pullImage', 'image'],
  ['removeImage', 'image'],
]);

/**
 * A runtime whose steps the log tells with their time: from level 4 what changes something, from 8 the questions as
 * well. Arguments of commands and environment are not shown. Below 4 it is the runtime itself.
 */
export function loggedRuntime(
  runtime: Runtime,
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
): Runtime {
  if (!log.enabled(STEPS)) return runtime;
  return new Proxy(runtime, {
    get(target, name): unknown {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return (...args: readonly unknown[]): unknown => {
        const started = clock.monotonic();
        const answer: unknown = Reflect.apply(member, target, args);
        if (answer instanceof Promise) tell({ name, args, answer }, log, () => Math.round(clock.monotonic() - started));
        return answer;
      };
    },
  });
}

interface Step {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly answer: Promise<unknown>;
}

/** The caller hears of a failure from the answer itself. */
function tell({ name, args, answer }: Step, log: Logger, took: () => number): void {
  const level = STEP_SUBJECTS.has(name) ? STEPS : QUESTIONS;
  answer.then(
    (result) => {
      const id = typeof result === 'string' ? result : undefined;
      log.info(level, `Runtime: ${name}`, { ...subject(name, args), id, milliseconds: took() });
    },
    (error: unknown) =>
      log.info(STEPS, `Runtime: ${name} failed`, {
        ...subject(name, args),
        reason: messageOf(error),
        milliseconds: took(),
      }),
  );
}

function subject(name: string, args: readonly unknown[]): { readonly [field: string]: unknown } {
  if (name === 'runSandbox') {
    const { namespace, name: pod, uid, attempt } = args[0] as SandboxConfig;
    return { pod: `${namespace}/${pod}`, uid, attempt };
  }
  if (name === 'createContainer') {
    const [, container, sandbox] = args as [string, ContainerConfig, SandboxConfig];
    const { name: containerName, image, attempt } = container;
    return { pod: `${sandbox.namespace}/${sandbox.name}`, containerName, image, attempt };
  }
  const first = args[0];
  return typeof first === 'string' ? { [STEP_SUBJECTS.get(name) ?? 'about']: first } : {};
}
