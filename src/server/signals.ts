/** The signals that end the process, from the moment this is called on. */
export interface Signals {
  readonly first: Promise<NodeJS.Signals>;
  readonly second: Promise<NodeJS.Signals>;
}

export function hearSignals(): Signals {
  const waiting: ((signal: NodeJS.Signals) => void)[] = [];
  const next = (): Promise<NodeJS.Signals> => new Promise(resolve => waiting.push(resolve));
  const signals = { first: next(), second: next() };
  const hear = (signal: NodeJS.Signals): void => {
    waiting.shift()?.(signal);
  };
  process.on('SIGTERM', hear);
  process.on('SIGINT', hear);
  return signals;
}
