export { missingDocker } from './testing/engine-process.ts';
export { type DockerTestbed, createDockerTestbed } from './testing/testbed.ts';
