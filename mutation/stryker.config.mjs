/** What the mutation tester changes, and which tests have to notice: see mutate.mjs. */
const FOLDERS = {
  compare: {
    files: ["src/compare/**/*.ts"],
    // Whole simulations of runs take a minute, for every mutant: they hold the same code by its outcome.
    tests: [
      "__tests__/compare/**/!(paired-simulation|false-suspects).test.ts",
      "__tests__/report/comparison/*.test.ts",
    ],
  },
  // Its tests merge while they are collected, and take a second.
  merge: { files: ["src/merge/*.ts"], tests: ["__tests__/merge/*.test.ts"], loading: true },
  // Releases are written by the round trip of their texts and files.
  github: { files: ["src/github/*.ts"], tests: ["__tests__/github/*.test.ts", "__tests__/release/update.test.ts"] },
  results: {
    // The schemas are tables, and half of their mutants are words.
    files: ["src/results/{read,check,count-values,fast-validate,layout,plan-file,shard,within-size,write}.ts"],
    tests: ["__tests__/results/*.test.ts"],
  },
};

const [name = "", ...files] = (process.env.MUTATE ?? "").split(" ").filter(Boolean);
const folder = FOLDERS[name];
if (!folder) throw new Error(`MUTATE: expected one of ${Object.keys(FOLDERS).join(", ")}, got "${name}"`);
process.env.MUTATION_TESTS = folder.tests.join(" ");

export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner", "./mutation/sample.mjs"],
  ignorers: ["sample"],
  vitest: { configFile: "mutation/vitest.config.ts", related: false },
  mutate: files.length > 0 ? files : folder.files,
  // Not copied for the runs: no test of these folders reads them.
  ignorePatterns: ["dist", "docs", "evaluation/recordings", "mutation/node_modules", "reports"],
  // Words of messages change often: a test of each would be a copy of it.
  mutator: { excludedMutations: ["StringLiteral"] },
  reporters: ["json", "clear-text"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `reports/mutation/${name}.json` },
  // Stryker rewrites it with an API that TypeScript 7 no longer has; without paths or references in it there is nothing to rewrite.
  tsconfigFile: "none",
  tempDirName: `/tmp/server-bench-mutation-${name}`,
  concurrency: 2,
  // A mutant of code that runs while modules load needs all tests again: minutes for each.
  ignoreStatic: !folder.loading,
  timeoutMS: 5000,
  timeoutFactor: 2,
  thresholds: { high: 90, low: 85, break: 85 },
  allowConsoleColors: false,
};
