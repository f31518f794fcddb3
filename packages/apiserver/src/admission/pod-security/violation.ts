import type {
  Container,
  EphemeralContainer,
  PodSecurityContext,
  PodSpec,
  SecurityContext,
} from '@binnacle/api/core/v1';

/** What is looked at: a pod, or the template of one. */
export interface PodLike {
  readonly metadata?: { readonly annotations?: { readonly [name: string]: string } };
  readonly spec: PodSpec;
}

/** Why a pod does not meet the standard: in a word, and what exactly. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** One control of the standard. */
export type Check = (pod: PodLike) => Violation | undefined;

export type AnyContainer = Container | EphemeralContainer;

/** Init containers first: the order in which messages name them. */
export function containersOf({ spec }: PodLike): readonly AnyContainer[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** The names of the containers of which this holds. */
export function namesWhere(pod: PodLike, holds: (container: AnyContainer) => boolean): string[] {
  return containersOf(pod)
    .filter(holds)
    .map(({ name }) => name);
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

/** `container "a"`, `containers "a", "b"`. */
export function named(word: string, names: readonly string[]): string {
  return `${plural(word, names.length)} ${quoted(names)}`;
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

/** Each value once, in the order of their bytes. */
export function sorted(values: Iterable<string>): string[] {
  return [...new Set(values)].sort();
}

/** What a pod and its containers say in one place of their security contexts. */
export interface Settings<T> {
  readonly pod: T | undefined;
  readonly containers: readonly { readonly name: string; readonly value: T | undefined }[];
}

/** A field that pods and containers have alike. */
export function settingsOf<T>(
  pod: PodLike,
  read: (context: PodSecurityContext | SecurityContext) => T | undefined,
): Settings<T> {
  const of = (context: PodSecurityContext | SecurityContext | undefined): T | undefined =>
    context === undefined ? undefined : read(context);
  return {
    pod: of(pod.spec.securityContext),
    containers: containersOf(pod).map(({ name, securityContext }) => ({ name, value: of(securityContext) })),
  };
}

/** Who sets what must not be set. */
export interface Offenders<T> {
  /** `pod`, `container "a"`. */
  readonly who: readonly string[];
  readonly values: readonly T[];
}

export function offenders<T>({ pod, containers }: Settings<T>, isBad: (value: T) => boolean): Offenders<T> {
  const bad = containers.filter(({ value }) => value !== undefined && isBad(value));
  const values = bad.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const who =
    bad.length === 0
      ? []
      : [
          named(
            'container',
            bad.map(({ name }) => name),
          ),
        ];
  if (pod === undefined || !isBad(pod)) return { who, values };
  return { who: ['pod', ...who], values: [pod, ...values] };
}

/** In a user namespace root is nobody outside: newer versions of the standard ask less. */
export function hasUserNamespace({ spec }: PodLike): boolean {
  return spec.hostUsers === false;
}
