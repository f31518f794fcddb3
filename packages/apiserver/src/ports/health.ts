/** One thing that can be well or not. Throws to say what is wrong. */
export interface HealthCheck {
  readonly name: string;
  check(): void | Promise<void>;
}
