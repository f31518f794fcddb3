import type { PodSpec } from '@binnacle/api/core/v1';
import { field } from '@binnacle/machinery';
import type { FieldError, KubeObject } from '@binnacle/machinery';
import type { KindBehaviour } from './behaviour.ts';
import { fieldPlace, valueAt } from './field-places.ts';

type Checks = NonNullable<KindBehaviour['checks']>;

/** What is refused in a pod's definition unless it was there before. */
interface GatedValue {
  /** The gate that opens it; absent: none does. */
  readonly gate?: string;
  /** Whether a definition has it already: then it may go on. */
  isUsed(spec: PodSpec): boolean;
  errors(spec: PodSpec, path: string): FieldError[];
}

const NUMERIC: ReadonlySet<string | undefined> = new Set(['Gt', 'Lt']);
const OPERATORS = ['Equal', 'Exists', 'Lt', 'Gt'];

/** As v1.36 has them, in its words. */
const GATED_VALUES: readonly GatedValue[] = [
  {
    gate: 'TaintTolerationComparisonOperators',
    isUsed: ({ tolerations = [] }) => tolerations.some(({ operator }) => NUMERIC.has(operator)),
    errors: ({ tolerations = [] }, path) =>
      field.eachError(tolerations, ({ operator }, at) =>
        NUMERIC.has(operator) ? [field.notSupported(`${path}.tolerations[${at}].operator`, operator, OPERATORS)] : [],
      ),
  },
  {
    gate: 'SELinuxMount',
    isUsed: ({ securityContext }) => securityContext?.seLinuxChangePolicy !== undefined,
    errors({ securityContext }, path) {
      const policy = securityContext?.seLinuxChangePolicy;
      if (policy !== 'MountOption') return [];
      return [field.notSupported(`${path}.securityContext.seLinuxChangePolicy`, policy, ['Recursive'])];
    },
  },
  {
    isUsed: (spec) => spec.hostUsers === false && deviceErrors(spec, '').length > 0,
    errors: (spec, path) => (spec.hostUsers === false ? deviceErrors(spec, path) : []),
  },
];

/** Devices keep the owners that they have outside of a user namespace. */
function deviceErrors(spec: PodSpec, path: string): FieldError[] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    field.eachError<{ readonly volumeDevices?: readonly unknown[] }>(spec[list] ?? [], ({ volumeDevices = [] }, at) =>
      volumeDevices.length === 0
        ? []
        : [field.forbidden(`${path}.${list}[${at}].volumeDevices`, 'when `hostUsers` is false')],
    ),
  );
}

/** What has to hold of a kind's definition of a pod where these gates are on and no others. */
export function gatedValueChecks(podPlace: string, isOn: (gate: string) => boolean): Checks {
  const values = GATED_VALUES.filter(({ gate }) => gate === undefined || !isOn(gate));
  const place = fieldPlace(podPlace);
  const specOf = (object: KubeObject): PodSpec | undefined => valueAt(object, place) as PodSpec | undefined;
  const check = (object: KubeObject, before?: KubeObject): FieldError[] => {
    const spec = specOf(object);
    const old = before === undefined ? undefined : specOf(before);
    if (spec === undefined || spec === old) return [];
    const refused = old === undefined ? values : values.filter((value) => !value.isUsed(old));
    return refused.flatMap((value) => value.errors(spec, podPlace));
  };
  return { validate: (object) => check(object), validateUpdate: check };
}
