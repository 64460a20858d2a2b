import { TofuError } from '../../tofu/opentofu.ts';
import { wrap } from './kubernetes.ts';

/** Awaits a step, and says in which one an error came up. */
export async function within<T>(doing: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw error instanceof TofuError ? error.during(doing) : wrap(error, doing);
  }
}
