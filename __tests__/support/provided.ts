/** Gives the tests what takes minutes to build on a machine that has none of it. cargo leaves a CPU free now and then. */
import buildWheels from "./built-wheels.js";
import provideLoadGenerator from "./load-generator.js";

export default async function setup(): Promise<void> {
  await Promise.all([provideLoadGenerator(), buildWheels()]);
}
