/** The channel on which a component that runs until it is stopped says that it has started. */
export const STARTED = 'binnacle.started';
