import { test } from 'node:test';
import { runtimeContract } from '../testing.ts';
import { missingDocker } from './testing/engine-process.ts';
import { createDockerTestbed, dockerHarness } from './testing/testbed.ts';

const missing = await missingDocker();
if (missing === undefined) runtimeContract('Docker Engine', async () => dockerHarness(await createDockerTestbed()));
else test('runtime contract: Docker Engine', { skip: missing }, () => undefined);
