import { criHarness, createTestbed } from '../containerd/testing/testbed.ts';
import { runtimeContract } from '../testing.ts';

runtimeContract('cri on containerd', async () => criHarness(await createTestbed()));
