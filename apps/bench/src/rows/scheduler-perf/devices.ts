import { DEVICE_CLASSES, NAMESPACES, PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_SLICES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client } from '@binnacle/client';
import { until } from '../../fill.ts';
import { inParallel } from '../../pods.ts';
import { createBatch } from './workload.ts';
import type { PodShape, Workload } from './workload.ts';

const DRIVER = 'test-driver.cdi.k8s.io';
const NODES = 500;
const PER_NODE = 10;
const CLAIMING: PodShape = {
  requests: {},
  resourceClaims: [{ name: 'resource', resourceClaimTemplateName: 'template' }],
};

const SELECTORS = [{ cel: { expression: `device.driver == "${DRIVER}"` } }];
/** Classes that each stand for an extended resource. */
const CLASSES = 25;

/** Ten devices on each node. */
async function publishDevices(client: Client): Promise<void> {
  const devices = Array.from({ length: PER_NODE }, (_, i) => ({ name: `device-${i}` }));
  await inParallel(NODES, async (i) => {
    const nodeName = `bench-${i}`;
    const pool = { name: nodeName, generation: 1, resourceSliceCount: 1 };
    await client
      .resource(RESOURCE_SLICES)
      .create({ metadata: { name: `slice-${i}` }, spec: { driver: DRIVER, nodeName, pool, devices } });
  });
}

/** A class of them, and a template of claims for one. */
async function publish(client: Client): Promise<void> {
  await client.resource(DEVICE_CLASSES).create({ metadata: { name: 'class' }, spec: { selectors: SELECTORS } });
  await publishDevices(client);
  await createTemplate(client, 'default');
}

async function createTemplate(client: Client, namespace: string): Promise<void> {
  const claim = { devices: { requests: [{ name: 'req-0', exactly: { deviceClassName: 'class' } }] } };
  const template = { metadata: { name: 'template' }, spec: { metadata: {}, spec: claim } };
  await client.resource(RESOURCE_CLAIM_TEMPLATES, namespace).create(template);
}

/** Classes of them, each of which stands for an extended resource. */
async function publishResources(client: Client): Promise<void> {
  for (let i = 0; i < CLASSES; i++) {
    const spec = { selectors: SELECTORS, extendedResourceName: `example.com/gpu-${i}` };
    await client.resource(DEVICE_CLASSES).create({ metadata: { name: `test-class-${i}` }, spec });
  }
  await publishDevices(client);
}

function asking(i: number): PodShape {
  const resources = { [`example.com/gpu-${i % CLASSES}`]: '1' };
  return { requests: resources, resources };
}

/** So many claims are given out already; ten pods at a time come and go. */
function steady(before: number, name: string, floor: number): Workload {
  return {
    name,
    floor,
    nodes: { count: NODES },
    async prepare(client) {
      await publish(client);
      const is = ({ spec }: Pod): boolean => spec.nodeName !== undefined;
      if (before === 0) return;
      // Those of the other namespace come and go.
      const namespace = 'init';
      await client.resource(NAMESPACES).create({ metadata: { name: namespace }, spec: {} });
      await createTemplate(client, namespace);
      const bound = until(client, { ref: PODS, count: before, is, what: 'pods were bound', namespace });
      await Promise.all([createBatch(client, 'init', { count: before, shape: CLAIMING, namespace }), bound]);
    },
    measured: { count: 10, shape: CLAIMING },
    steadyMs: 10_000,
  };
}

export const DEVICES: readonly Workload[] = [
  {
    name: 'SchedulingWithResourceClaimTemplate',
    floor: 56,
    nodes: { count: NODES },
    prepare: publish,
    initial: [{ count: 2500, shape: CLAIMING }],
    measured: { count: 2500, shape: CLAIMING },
  },
  {
    name: 'ExtendedResource_25Classes',
    floor: 56,
    floorOf: 'SchedulingWithResourceClaimTemplate',
    nodes: { count: NODES },
    prepare: publishResources,
    initial: [{ count: 2500, shape: asking }],
    measured: { count: 2500, shape: asking },
  },
  steady(0, 'SteadyStateClusterResourceClaimTemplate-empty', 64),
  steady(2500, 'SteadyStateClusterResourceClaimTemplate-half', 70),
  steady(4990, 'SteadyStateClusterResourceClaimTemplate-full', 60),
];
