export { makeDoors } from './doors.ts';
export type { DoorsOptions } from './doors.ts';
