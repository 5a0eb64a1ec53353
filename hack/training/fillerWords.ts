/** Words of no language in the placeholders of templates. */
import { split } from './words.ts';

export const technologies: readonly string[] =
  split(`Kubernetes Docker Terraform Ansible Jenkins GitLab GitHub Python Java Rust Go TypeScript JavaScript React Angular
  Vue Svelte Django Flask Spring Rails Laravel Postgres PostgreSQL MySQL MongoDB Redis Kafka RabbitMQ Elasticsearch Grafana Prometheus
  Istio Helm ArgoCD EKS GKE AKS S3 EC2 Lambda DynamoDB CloudFront Route53 Fargate BigQuery Snowflake Databricks Spark Airflow dbt Tableau
  Excel Word PowerPoint Outlook Teams Slack Zoom Jira Confluence Notion Figma Photoshop Linux Ubuntu Debian Windows macOS iOS Android
  Chrome Firefox Safari Nginx Apache Tomcat Node.js Deno Bun Webpack Vite ESLint Prettier Jest Mocha Cypress Playwright Selenium
  OpenAPI GraphQL gRPC REST OAuth SAML LDAP Keycloak Vault Consul Envoy Traefik PyTorch TensorFlow NumPy Pandas Jupyter Hadoop`);
export const acronyms: readonly string[] =
  split(`TCP UDP HTTP HTTPS TLS SSL DNS DHCP NAT VPN SSH FTP SMTP IMAP LDAP SAML OIDC OAuth JWT REST SOAP RPC gRPC GraphQL JSON XML
  YAML CSV HTML CSS DOM SQL ACID CAP CRUD ORM MVC CLI GUI IDE SDK JVM JIT AOT GC LRU TTL RAID NVMe SSD HDD CPU GPU TPU NUMA SIMD AVX
  PCIe USB HDMI BIOS UEFI GPIO I2C UART MQTT BLE NFC RFID GPS LTE VLAN BGP OSPF CIDR MTU QoS CDN WAF SIEM SLO SLA RPO RTO CI CD PR QA
  UAT KPI OKR ROI EBITDA VAT GDPR HIPAA PCI ISO ANSI IEEE RFC UTF ASCII MIME UUID HMAC AES RSA ECDSA SHA MD5 CRC FFT PCA SVM CNN RNN
  LLM RAG NLP OCR BP HR ECG MRI CT CBC BMI COPD IV PRN QID SOB PMH Hx Rx Dx Tx CXR ICU ER A1C LDL ALT AST TSH UTI CAD CHF GERD CBT ADHD`);
export const base64: readonly string[] = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
/** Names of licences. They are not personal data. */
export const licenses: readonly string[] = [
  'GNU General Public License',
  'GNU Lesser General Public License',
  'GNU Library General Public License',
  'GNU Affero General Public License',
  'GNU Free Documentation License',
  'Mozilla Public License',
  'Eclipse Public License',
  'European Union Public Licence',
  'Common Development and Distribution License',
  'Creative Commons Attribution License',
  'Boost Software License',
  'Python Software Foundation License',
  'Academic Free License',
  'Open Font License',
  'Artistic License',
  'Apache License',
  'MIT License',
  'ISC License',
  'BSD License',
  'General Public License',
  'Public License',
];
export const architectures: readonly string[] = split('amd64 all i386 arm64 armhf riscv64 x86_64 noarch');
export const gitDay: readonly string[] = split('Mon Tue Wed Thu Fri Sat Sun');
export const gitMonth: readonly string[] = split('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec');
export const sqlWords: readonly string[] =
  split(`CASCADE RESTRICT DEFAULT REFERENCES CONSTRAINT UNIQUE PRIMARY FOREIGN CHECK EXISTS BETWEEN HAVING UNION INTERSECT PARTITION
  OVER ROWS PRECEDING CURRENT TRIGGER FUNCTION RETURNS LANGUAGE BEGIN COMMIT ROLLBACK GRANT REVOKE ANALYZE VACUUM EXPLAIN TEMPORARY
  MATERIALIZED VIEW SEQUENCE SCHEMA TABLESPACE COLLATE INTERVAL TIMESTAMP NUMERIC BOOLEAN LATERAL RECURSIVE`);

/** People after whom laws, methods and units are named. They are not personal data there. */
export const eponyms: readonly string[] =
  split(`Abel Ampère Archimedes Avogadro Banach Bayes Bellman Bernoulli Bessel Boltzmann Bonferroni Boole Brown Cantor Cauchy Cholesky Coulomb
  Cramer Dedekind Delaunay Dijkstra Dirac Dirichlet Doppler Einstein Euclid Euler Faraday Fermat Fibonacci Fisher Fourier Frobenius Galerkin
  Galois Gauss Gödel Green Hamilton Hausdorff Heisenberg Helmholtz Hermite Hilbert Hölder Hooke Jacobi Jensen Kepler Kolmogorov Kronecker
  Kruskal Krylov Lagrange Laplace Lebesgue Legendre Leibniz Lipschitz Lorentz Markov Maxwell Mendel Minkowski Moore Nash Newton Nyquist Ohm
  Pareto Pascal Pearson Picard Planck Poincaré Poisson Pythagoras Riemann Rolle Runge Schrödinger Schur Schwarz Shannon Simpson Sobolev
  Spearman Stirling Stokes Student Sturm Taylor Turing Voronoi Weierstrass Welch Wiener Wilcoxon Zipf`);

export const emailHosts: readonly string[] = split(
  'gmail.com yahoo.com outlook.com example.com example.org web.de gmx.net orange.fr libero.it mail.com proton.me acme.io',
);
export const units: readonly string[] = split('USD EUR GBP $ € £ CHF');
