export { UnknownControllerError } from './errors.ts';
export { CONTROLLERS, controllersIn, startControllers } from './start-controllers.ts';
export type { ControllersOptions, RunningControllers } from './start-controllers.ts';
export type { LoadBalancerOptions } from './controller-kit.ts';
