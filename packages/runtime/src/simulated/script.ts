import { parseGoDuration } from '@binnacle/base';
import { RuntimeError } from '../errors.ts';

type Annotations = { readonly [key: string]: string };

/** What a pod's annotations make happen to one of its containers (and to its sandbox and images). */
export interface Script {
  readonly sandboxDelayMs: number;
  readonly sandboxFailure: string;
  readonly imageAbsent: boolean;
  readonly pullDelayMs: number;
  readonly pullFailure: string;
  readonly createFailure: string;
  readonly startDelayMs: number;
  readonly startFailure: string;
  /** How many attempts fail to start; later ones do. */
  readonly startFailureTimes: number;
  /** Infinity: runs until stopped. */
  readonly exitAfterMs: number;
  readonly exitCode: number;
  readonly exitReason: string;
  /** How many attempts exit by themselves; later ones keep running. */
  readonly exitTimes: number;
  /** From the stop signal to the exit. */
  readonly stopDelayMs: number;
  readonly stopExitCode: number;
  readonly ignoreStop: boolean;
  readonly execDelayMs: number;
  /** Undefined: decided by the command. */
  readonly execExitCode: number | undefined;
  readonly execOutput: string;
  /** 0: nobody listens. */
  readonly httpPort: number;
  readonly httpBody: string;
  readonly log: string;
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
}

/** The domain of the annotations; a container's own are under `<container>.simulated.binnacle.dev/`. */
export const ANNOTATION_DOMAIN = 'simulated.binnacle.dev';

const DEFAULT_SCRIPT: Script = {
  sandboxDelayMs: 0,
  sandboxFailure: '',
  imageAbsent: false,
  pullDelayMs: 0,
  pullFailure: '',
  createFailure: '',
  startDelayMs: 0,
  startFailure: '',
  startFailureTimes: Infinity,
  exitAfterMs: Infinity,
  exitCode: 0,
  exitReason: '',
  exitTimes: Infinity,
  stopDelayMs: 0,
  stopExitCode: 0,
  ignoreStop: false,
  execDelayMs: 0,
  execExitCode: undefined,
  execOutput: '',
  httpPort: 0,
  httpBody: 'hello\n',
  log: '',
  cpuMillicores: 0,
  memoryBytes: 0,
};

type Sort = 'duration' | 'count' | 'text' | 'flag';

const SETTINGS: { readonly [name: string]: readonly [keyof Script, Sort] } = {
  'sandbox-delay': ['sandboxDelayMs', 'duration'],
  'sandbox-failure': ['sandboxFailure', 'text'],
  'image-absent': ['imageAbsent', 'flag'],
  'pull-delay': ['pullDelayMs', 'duration'],
  'pull-failure': ['pullFailure', 'text'],
  'create-failure': ['createFailure', 'text'],
  'start-delay': ['startDelayMs', 'duration'],
  'start-failure': ['startFailure', 'text'],
  'start-failure-times': ['startFailureTimes', 'count'],
  'exit-after': ['exitAfterMs', 'duration'],
  'exit-code': ['exitCode', 'count'],
  'exit-reason': ['exitReason', 'text'],
  'exit-times': ['exitTimes', 'count'],
  'stop-delay': ['stopDelayMs', 'duration'],
  'stop-exit-code': ['stopExitCode', 'count'],
  'ignore-stop': ['ignoreStop', 'flag'],
  'exec-delay': ['execDelayMs', 'duration'],
  'exec-exit-code': ['execExitCode', 'count'],
  'exec-output': ['execOutput', 'text'],
  'http-port': ['httpPort', 'count'],
  'http-body': ['httpBody', 'text'],
  log: ['log', 'text'],
  'cpu-usage-millicores': ['cpuMillicores', 'count'],
  'memory-usage-bytes': ['memoryBytes', 'count'],
};

/**
 * The script for one container, or for the pod when no name is given. Pods without such annotations share one object.
 * Throws RuntimeError for an unknown setting or a bad value: a misspelt fault must not look like health.
 */
export function readScript(annotations: Annotations, container?: string): Script {
  const pod: { [field: string]: unknown } = {};
  const own: { [field: string]: unknown } = {};
  let found = false;
  for (const key of Object.keys(annotations)) {
    const slash = key.indexOf('/');
    if (slash === -1 || !key.slice(0, slash).endsWith(ANNOTATION_DOMAIN)) continue;
    const owner = key.slice(0, slash - ANNOTATION_DOMAIN.length);
    if (owner !== '' && !owner.endsWith('.')) continue;
    found = true;
    const [field, value] = readSetting(key, key.slice(slash + 1), annotations[key] ?? '');
    if (owner === '') pod[field] = value;
    else if (owner === `${container}.`) own[field] = value;
  }
  return found ? { ...DEFAULT_SCRIPT, ...pod, ...own } : DEFAULT_SCRIPT;
}

/** The script of a container whose work comes to an end by itself, where it says nothing of its own about that. */
export function ending(script: Script, afterMs: number | undefined): Script {
  return afterMs === undefined || script.exitAfterMs !== Infinity ? script : { ...script, exitAfterMs: afterMs };
}

function readSetting(key: string, name: string, text: string): [keyof Script, unknown] {
  const setting = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
  if (setting === undefined) throw new RuntimeError(`annotation ${key}: unknown setting`, { code: 'bad-annotation' });
  const value = readValue(setting[1], text);
  if (value === undefined) {
    throw new RuntimeError(`annotation ${key}: ${JSON.stringify(text)} is no ${setting[1]}`, {
      code: 'bad-annotation',
    });
  }
  return [setting[0], value];
}

function readValue(sort: Sort, text: string): number | string | boolean | undefined {
  switch (sort) {
    case 'duration':
      return parseGoDuration(text, () => undefined);
    case 'count':
      return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
    case 'flag':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'text':
      return text;
  }
}
