import { field } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';

/** How strict, of the Pod Security Standards. */
export type Level = 'privileged' | 'baseline' | 'restricted';

const STRICTNESS: readonly Level[] = ['privileged', 'baseline', 'restricted'];

/** The version of the standards: the minor of `v1.x`, or the newest. */
export type StandardVersion = number | 'latest';

/** One level as of one version. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: StandardVersion;
}

export type Mode = 'enforce' | 'audit' | 'warn';

export const MODES: readonly Mode[] = ['enforce', 'audit', 'warn'];

/** What holds in a namespace: what is refused, what is recorded, what the client is warned of. */
export type PodSecurityPolicy = { readonly [mode in Mode]: LevelVersion };

export const PREFIX = 'pod-security.kubernetes.io/';

/** What holds where neither labels nor a configuration file say anything. */
export const PRIVILEGED: PodSecurityPolicy = {
  enforce: { level: 'privileged', version: 'latest' },
  audit: { level: 'privileged', version: 'latest' },
  warn: { level: 'privileged', version: 'latest' },
};

/** `restricted:latest`, as messages show it. */
export function shown({ level, version }: LevelVersion): string {
  return `${level}:${version === 'latest' ? version : `v1.${version}`}`;
}

export function isStricter(a: Level, b: Level): boolean {
  return STRICTNESS.indexOf(a) > STRICTNESS.indexOf(b);
}

export function sameLevelVersion(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.version === b.version;
}

/** Undefined where the text names no level. */
export function parseLevel(text: string): Level | undefined {
  return STRICTNESS.find((level) => level === text);
}

/** Undefined where the text is neither `latest` nor `v1.x`. */
export function parseVersion(text: string): StandardVersion | undefined {
  if (text === 'latest') return text;
  const [, minor] = /^v1\.(0|[1-9][0-9]{0,8})$/.exec(text) ?? [];
  return minor === undefined ? undefined : Number(minor);
}

export const LEVEL_EXPECTED = 'must be one of privileged, baseline, restricted';
export const VERSION_EXPECTED = 'must be "latest" or "v1.x"';

interface ReadPolicy {
  /** Always usable: what cannot be read refuses most, but does not flood audit and warnings. */
  readonly policy: PodSecurityPolicy;
  readonly errors: readonly FieldError[];
}

type Labels = { readonly [name: string]: string } | undefined;

/** The policy that a namespace's labels ask for, over the defaults. */
export function readPolicy(labels: Labels, defaults: PodSecurityPolicy): ReadPolicy {
  if (labels === undefined) return { policy: defaults, errors: [] };
  const errors: FieldError[] = [];
  const read = (mode: Mode): LevelVersion => readMode(labels, mode, { fallback: defaults[mode], errors });
  const policy = { enforce: read('enforce'), audit: read('audit'), warn: read('warn') };
  return { policy: { ...policy, warn: warnAtLeast(policy, labels) }, errors };
}

/** Reads policies over the same defaults, those of a namespace's labels once: they are asked for at each pod. */
export function policyReader(defaults: PodSecurityPolicy): (labels: Labels) => ReadPolicy {
  const byLabels = new WeakMap<NonNullable<Labels>, ReadPolicy>();
  const plain: ReadPolicy = { policy: defaults, errors: [] };
  return (labels) => {
    if (labels === undefined) return plain;
    let known = byLabels.get(labels);
    if (known === undefined) byLabels.set(labels, (known = readPolicy(labels, defaults)));
    return known;
  };
}

function readMode(
  labels: NonNullable<Labels>,
  mode: Mode,
  { fallback, errors }: { readonly fallback: LevelVersion; readonly errors: FieldError[] },
): LevelVersion {
  let { level, version } = fallback;
  const levelText = labels[PREFIX + mode];
  if (levelText !== undefined) {
    const parsed = parseLevel(levelText);
    if (parsed === undefined) errors.push(wrong(mode, levelText, LEVEL_EXPECTED));
    level = parsed ?? (mode === 'enforce' ? 'restricted' : 'privileged');
  }
  const versionText = labels[`${PREFIX}${mode}-version`];
  if (versionText !== undefined) {
    const parsed = parseVersion(versionText);
    if (parsed === undefined) errors.push(wrong(`${mode}-version`, versionText, VERSION_EXPECTED));
    version = parsed ?? 'latest';
  }
  return { level, version };
}

function wrong(name: string, value: string, expected: string): FieldError {
  return field.invalid(field.key('metadata.labels', PREFIX + name), value, expected);
}

/** Who is refused pods wants to hear of workloads that will not get them, unless the namespace says otherwise. */
function warnAtLeast({ enforce, warn }: PodSecurityPolicy, labels: NonNullable<Labels>): LevelVersion {
  const asked = labels[`${PREFIX}enforce`];
  const silent = labels[`${PREFIX}warn`] === undefined;
  if (!silent || asked === undefined || parseLevel(asked) === undefined) return warn;
  if (!isStricter(enforce.level, warn.level)) return warn;
  const keepsVersion = labels[`${PREFIX}warn-version`] !== undefined;
  return { level: enforce.level, version: keepsVersion ? warn.version : enforce.version };
}
