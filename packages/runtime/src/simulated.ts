export { createSimulatedNode, createSimulatedRuntime } from './simulated/node.ts';
export { SimulatedLogs } from './simulated/logs.ts';
export type { LoggedRuntime, SimulatedNode, SimulatedOptions } from './simulated/node.ts';
