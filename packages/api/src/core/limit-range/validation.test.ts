import { checkCreate } from '../../testing/kind-table.ts';
import type { Kind } from '../../testing/kind-table.ts';

const RANGE: Kind = ['', 'LimitRange', true];
const limits = (...items: object[]): object => ({ spec: { limits: items } });
const pod = (fields: object): object => limits({ type: 'Pod', ...fields });
const container = (fields: object): object => limits({ type: 'Container', ...fields });

// Provenance: upstream pkg/apis/core/validation/validation.go, ValidateLimitRange.
checkCreate('limit ranges', [
  [
    'right',
    'ValidateLimitRange',
    RANGE,
    container({
      min: { cpu: '100m' },
      max: { cpu: '1' },
      default: { cpu: '500m' },
      defaultRequest: { cpu: '200m' },
      maxLimitRequestRatio: { cpu: '10' },
    }),
  ],
  [
    'a type twice',
    'ValidateLimitRange',
    RANGE,
    limits({ type: 'Pod' }, { type: 'Pod' }),
    'spec.limits[1].type: Duplicate value: "Pod"',
  ],
  [
    'an unknown type',
    'ValidateLimitRangeTypeName',
    RANGE,
    limits({ type: 'Foo' }),
    'spec.limits[0].type: Invalid value: "Foo": must be a standard limit type or fully qualified',
  ],
  [
    'defaults of pods',
    'ValidateLimitRange',
    RANGE,
    pod({ default: { cpu: '1' }, defaultRequest: { cpu: '1' } }),
    "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'",
  ],
  [
    'no storage',
    'ValidateLimitRange',
    RANGE,
    limits({ type: 'PersistentVolumeClaim' }),
    'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
  ],
  [
    'min over max',
    'ValidateLimitRange',
    RANGE,
    pod({ min: { cpu: '2' }, max: { cpu: '1' } }),
    'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
  ],
  [
    'defaults out of bounds',
    'ValidateLimitRange',
    RANGE,
    container({ min: { cpu: '2' }, max: { cpu: '3' }, default: { cpu: '4' }, defaultRequest: { cpu: '1' } }),
    'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
    'spec.limits[0].default[cpu]: Invalid value: "3": default value 4 is greater than max value 3',
  ],
  [
    'ratios',
    'ValidateLimitRange',
    RANGE,
    pod({
      min: { cpu: '1', memory: '1Gi' },
      max: { cpu: '2', memory: '2Gi' },
      maxLimitRequestRatio: { cpu: '500m', memory: '3' },
    }),
    'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
    'spec.limits[0].maxLimitRequestRatio[memory]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000',
  ],
  [
    'a resource that is not shared',
    'ValidateLimitRange',
    RANGE,
    container({ default: { 'example.com/gpu': '2' }, defaultRequest: { 'example.com/gpu': '1' } }),
    'spec.limits[0].defaultRequest[example.com/gpu]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in example.com/gpu',
  ],
]);
