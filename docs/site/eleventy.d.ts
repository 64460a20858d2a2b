/** The part of Eleventy that the site uses; the package brings no types. */
export interface EleventyData {
  readonly page: { readonly inputPath: string };
}

export interface EleventyConfig {
  addGlobalData(name: string, value: () => unknown): void;
  addPassthroughCopy(paths: Readonly<Record<string, string>>): void;
  addTransform(name: string, transform: (this: EleventyData, content: string) => string): void;
  addWatchTarget(path: string): void;
  on(event: 'eleventy.before' | 'eleventy.after', run: (event: { directories: { output: string } }) => void): void;
  setLibrary(extension: 'md', library: { render(text: string, data: EleventyData): string }): void;
  ignores: Set<string>;
}
