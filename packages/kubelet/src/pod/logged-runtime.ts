import { messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import type { ContainerConfig, Runtime, SandboxConfig } from '@binnacle/runtime';
import { StepsUnderWay } from './steps-under-way.ts';

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
 * well. Arguments of commands and environment are not shown. The level may change; below 4 where it cannot, with nobody who
 * looks at the `underWay`, it is the runtime itself.
 */
export function loggedRuntime(
  runtime: Runtime,
  of: { readonly log: Logger; readonly clock: Clock; readonly underWay: StepsUnderWay | undefined },
): Runtime {
  const { log, clock, underWay } = of;
  if (log.level === undefined && !log.enabled(STEPS) && underWay === undefined) return runtime;
  return new Proxy(runtime, {
    get(target, name): unknown {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return (...args: readonly unknown[]): unknown => {
        const started = clock.monotonic();
        const answer: unknown = Reflect.apply(member, target, args);
        if (!(answer instanceof Promise)) return answer;
        const step = { name, args, answer };
        if (log.enabled(STEPS)) tell(step, log, () => Math.round(clock.monotonic() - started));
        if (underWay !== undefined && STEP_SUBJECTS.has(name)) watch(step, underWay);
        return answer;
      };
    },
  });
}

/** What is under way on a node. Undefined: one without a disk is played, and its runtime answers at once. */
export function stepsOf(
  node: ConstructorParameters<typeof StepsUnderWay>[0] & { readonly files?: unknown },
): StepsUnderWay | undefined {
  return node.files === undefined ? undefined : new StepsUnderWay(node);
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

/** Pulls take as long as they take, and events tell of them. */
function watch({ name, args, answer }: Step, underWay: StepsUnderWay): void {
  if (name === 'pullImage') return;
  const mayTakeMs = name === 'stopContainer' ? Number(args[1]) * 1000 : 0;
  const over = underWay.begin({ name, subject: subject(name, args), mayTakeMs });
  answer.then(over, over);
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
