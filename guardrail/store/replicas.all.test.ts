import { describeReplicas } from './testing/replicaTests.ts';

describeReplicas('Redis of this machine');
