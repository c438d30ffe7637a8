FROM vllm/vllm-openai:v0.18.0
WORKDIR /app
COPY requirements/engine-vllm.txt requirements.txt
RUN pip install --no-cache-dir -r requirements.txt
COPY gateway gateway
COPY engine engine
COPY models.toml /etc/serving/models.toml
COPY scripts/nccl-env.sh scripts/run-engine.sh /usr/local/bin/
ENV VLLM_LOGGING_LEVEL=INFO
ENTRYPOINT ["/usr/local/bin/run-engine.sh"]
