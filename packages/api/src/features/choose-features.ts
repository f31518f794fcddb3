import { ALWAYS_ON, LOCKED_OFF, LOCKED_ON, NOT_BUILT, SWITCHABLE, WHOLE_STAGES } from './gates.ts';

/** What people said of feature gates, by name. */
export type GateWishes = { readonly [gate: string]: boolean };

/** Of the gates that people switch, which are on. */
export type Features = { readonly [gate in keyof typeof SWITCHABLE]: boolean };

/** All as upstream has them by default. */
export const DEFAULT_FEATURES: Features = {
  ClusterTrustBundle: false,
  ClusterTrustBundleProjection: false,
  ContainerStopSignals: false,
  MaxUnavailableStatefulSet: false,
  TaintTolerationComparisonOperators: false,
};

type Gate = keyof Features;

const GATES = Object.keys(SWITCHABLE) as readonly Gate[];

/**
 * What is on by these wishes, or everything that is wrong with them: upstream's words where upstream refuses them too, else
 * the gate's name and that it is not to be had here.
 */
export function chooseFeatures(wishes: GateWishes): { readonly features: Features } | { readonly problem: string } {
  const said = Object.entries(wishes);
  const unknown = said.find(([gate]) => !isKnown(gate));
  if (unknown !== undefined) return { problem: `unrecognized feature gate: ${unknown[0]}` };
  const problems = said.flatMap(([gate, on]) => problemOf(gate, on) ?? []);
  if (problems.length > 0) return { problem: together(problems) };
  const own = said.filter(([gate]) => Object.hasOwn(SWITCHABLE, gate));
  const features: Features = { ...DEFAULT_FEATURES, ...Object.fromEntries(own) };
  const lonely = GATES.filter((gate) => features[gate]).flatMap((gate) => {
    const missing = SWITCHABLE[gate].filter((needed) => !features[needed]);
    return missing.length === 0
      ? []
      : [`${gate} is enabled, but depends on features that are disabled: [${missing.join(' ')}]`];
  });
  return lonely.length > 0 ? { problem: together(lonely) } : { features };
}

function isKnown(gate: string): boolean {
  const lists = [LOCKED_ON, LOCKED_OFF, ALWAYS_ON, NOT_BUILT, WHOLE_STAGES, GATES];
  return lists.some((names) => names.includes(gate));
}

function problemOf(gate: string, on: boolean): string | undefined {
  if (LOCKED_ON.includes(gate)) return on ? undefined : locked(gate, on);
  if (LOCKED_OFF.includes(gate)) return on ? locked(gate, on) : undefined;
  if (ALWAYS_ON.includes(gate)) return on ? undefined : `feature gate ${gate} cannot be switched off here`;
  if (NOT_BUILT.includes(gate)) return on ? `feature gate ${gate} is not supported here` : undefined;
  if (!WHOLE_STAGES.includes(gate)) return undefined;
  // No alpha gate is on, some beta ones are: both of `AllBeta` would change what does not change here.
  return gate === 'AllAlpha' && !on ? undefined : `feature gate ${gate}=${on} is not supported here: name single ones`;
}

function locked(gate: string, on: boolean): string {
  return `cannot set feature gate ${gate} to ${on}, feature is locked to ${!on}`;
}

/** As Go shows several errors as one. */
function together(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
}
