/** Hears, in upstream's words, why a token that should be known is not good; of a stranger's nothing is said. */
export type TokenDoubt = (why: string) => void;
