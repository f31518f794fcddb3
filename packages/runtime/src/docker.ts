export { type DockerEngine, type DockerOptions, openDocker } from './docker/engine.ts';
export { openDockerImages } from './docker/images.ts';
export { removePodNetwork } from './docker/remains.ts';
