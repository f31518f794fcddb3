import type { MetricIdentifier, MetricSpec, MetricStatus, MetricTarget } from '../generated/autoscaling-v2.ts';

// Metrics in the flat shape that autoscaling/v1 keeps in annotations, and in the nested one of autoscaling/v2.

/** A metric of autoscaling/v1: one of the sources, each flat. */
type Flat = { readonly [source: string]: unknown };
type Fields = { readonly [name: string]: unknown };

const SOURCES = ['object', 'pods', 'resource', 'containerResource', 'external'] as const;

/** Names of the flat fields: of what is wanted, and of what is. */
interface Words {
  readonly value: string;
  readonly averageValue: string;
  readonly averageUtilization: string;
}

const WANTED: Words = {
  value: 'targetValue',
  averageValue: 'targetAverageValue',
  averageUtilization: 'targetAverageUtilization',
};

const CURRENT: Words = {
  value: 'currentValue',
  averageValue: 'currentAverageValue',
  averageUtilization: 'currentAverageUtilization',
};

export function toV1Metric(metric: MetricSpec): Flat {
  return flatten(metric as unknown as Fields, WANTED, 'target');
}

export function toV1MetricStatus(metric: MetricStatus): Flat {
  return flatten(metric as unknown as Fields, CURRENT, 'current');
}

export function fromV1Metric(flat: object): MetricSpec {
  return nest(flat as Fields, WANTED, (amounts) => ({
    target: { type: targetType(amounts), ...amounts },
  })) as unknown as MetricSpec;
}

export function fromV1MetricStatus(flat: object): MetricStatus {
  return nest(flat as Fields, CURRENT, (amounts) => ({ current: amounts })) as unknown as MetricStatus;
}

type Amounts = Omit<MetricTarget, 'type'>;

function targetType(amounts: Amounts): MetricTarget['type'] {
  if (amounts.averageUtilization !== undefined) return 'Utilization';
  return amounts.averageValue === undefined ? 'Value' : 'AverageValue';
}

function flatten(metric: Fields, words: Words, amountsField: string): Flat {
  const flat: { [name: string]: unknown } = { type: metric['type'] };
  for (const source of SOURCES) {
    const nested = metric[source] as Fields | undefined;
    if (!nested) continue;
    const { metric: identifier, describedObject, [amountsField]: amounts, ...rest } = nested;
    flat[source] = {
      ...rest,
      ...(describedObject === undefined ? {} : { target: describedObject }),
      ...flatIdentifier(identifier as MetricIdentifier | undefined, source),
      ...flatAmounts((amounts ?? {}) as Amounts, words, source),
    };
  }
  return flat;
}

function flatIdentifier(identifier: MetricIdentifier | undefined, source: string): Fields {
  if (!identifier) return {};
  const selector = identifier.selector;
  const field = source === 'external' ? 'metricSelector' : 'selector';
  return { metricName: identifier.name, ...(selector === undefined ? {} : { [field]: selector }) };
}

/** An object's average is called the same in both shapes. */
function averageField(words: Words, source: string): string {
  return source === 'object' ? 'averageValue' : words.averageValue;
}

function flatAmounts(amounts: Amounts, words: Words, source: string): Fields {
  const { value, averageValue, averageUtilization } = amounts;
  return {
    ...(value === undefined ? {} : { [words.value]: value }),
    ...(averageValue === undefined ? {} : { [averageField(words, source)]: averageValue }),
    ...(averageUtilization === undefined ? {} : { [words.averageUtilization]: averageUtilization }),
  };
}

function nest(flat: Fields, words: Words, wrap: (amounts: Amounts) => object): Fields {
  const metric: { [name: string]: unknown } = { type: flat['type'] };
  for (const source of SOURCES) {
    const fields = flat[source] as Fields | undefined;
    if (!fields) continue;
    const average = averageField(words, source);
    const {
      target: describedObject,
      metricName: name,
      selector,
      metricSelector,
      [words.value]: value,
      [average]: averageValue,
      [words.averageUtilization]: averageUtilization,
      ...rest
    } = fields;
    const found = selector ?? metricSelector;
    metric[source] = {
      ...rest,
      ...(describedObject === undefined ? {} : { describedObject }),
      ...(name === undefined ? {} : { metric: { name, ...(found === undefined ? {} : { selector: found }) } }),
      ...wrap(present({ value, averageValue, averageUtilization })),
    };
  }
  return metric;
}

/** Without what is absent; Go writes zero for a value that is not wanted. */
function present(amounts: { readonly [name: string]: unknown }): Amounts {
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== undefined && amount !== '0'));
}
