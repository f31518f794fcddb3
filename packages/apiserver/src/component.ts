/** What components that run alone share with the API server: how figures and health are told. A door of its own: they load no server for it. */
export { ComponentFigures } from './observe/component-figures.ts';
export { SERVED_VERSION } from './observe/build-info.ts';
export type { Build } from './observe/build-info.ts';
export { answerHealth, PING } from './observe/health.ts';
export type { HealthQuestion } from './observe/health.ts';
export { HealthFigures } from './observe/health-figures.ts';
export type { HealthPath } from './observe/health-figures.ts';
