/** What a person at the terminal sees while a cluster comes up; silent when nobody looks or JSON is wanted. */
export interface Progress {
  say(text: string): void;
}

export function createProgress(quiet: boolean): Progress {
  return {
    say(text) {
      if (quiet) return;
      const seconds = process.uptime().toFixed(2).padStart(6);
      process.stderr.write(`${process.stderr.isTTY ? `\x1b[2m${seconds}s\x1b[0m` : `${seconds}s`} ${text}\n`);
    },
  };
}
