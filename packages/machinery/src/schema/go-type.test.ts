import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plainGoType } from './go-type.ts';

// The types of k8s.io/api's fields, as messages of Go's decoder name them.
for (const [type, go] of [
  ['string', 'string'],
  ['bool', 'bool'],
  ['int32', 'int32'],
  ['int64', 'int64'],
  ['double', 'float64'],
  ['bytes', '[]uint8'],
  ['Time', 'v1.Time'],
  ['MicroTime', 'v1.MicroTime'],
  ['Duration', 'v1.Duration'],
  ['Quantity', 'resource.Quantity'],
  ['IntOrString', 'intstr.IntOrString'],
  ['RawExtension', 'runtime.RawExtension'],
  ['#core.v1.Container', 'v1.Container'],
  ['#autoscaling.v2.MetricSpec', 'v2.MetricSpec'],
  ['[]#core.v1.Container', '[]v1.Container'],
  ['{}string', 'map[string]string'],
  ['{}Quantity', 'map[string]resource.Quantity'],
  ['{}bytes', 'map[string][]uint8'],
  ['{}[]string', 'map[string][]string'],
  ['[]{}string', '[]map[string]string'],
] as const)
  it(`${type} is Go’s ${go}`, () => assert.equal(plainGoType(type), go));
